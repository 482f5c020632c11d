/** The first page of the dashboard: says where the API is documented. */
const root = document.getElementById("root")
if (root !== null) root.textContent = "Ledgerhook"
