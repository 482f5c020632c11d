/** Whether the screen is so narrow that lists have one column. */
import { useMediaQuery } from "@mantine/hooks"

export const useIsNarrow = (): boolean => useMediaQuery("(max-width: 40rem)") ?? false
