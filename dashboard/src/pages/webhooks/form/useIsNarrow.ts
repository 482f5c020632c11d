import { useMediaQuery } from "@mantine/hooks"

/** Below 640 pixels lists have one column. */
export const useIsNarrow = (): boolean => useMediaQuery("(max-width: 40rem)") ?? false
