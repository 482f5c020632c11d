/** A secret that is shown once. */
import { Copy } from "../../parts/Copy.tsx"

export const SecretOnce = ({ secret }: { readonly secret: string }) => (
  <div>
    <div className="row">
      <code className="mono">{secret}</code>
      <Copy value={secret} what="the secret" />
    </div>
    <p className="quiet">
      Your server verifies signatures with it. This is the only time that it is shown: store it now.
    </p>
  </div>
)
