/** The first page of the dashboard: names the service and says where its API is documented. */
const heading = document.createElement("h1")
heading.textContent = "Ledgerhook"
const link = document.createElement("a")
link.href = "/docs"
link.textContent = "The API's documentation"
const page = document.createElement("main")
page.append(heading, link)
document.getElementById("root")?.replaceChildren(page)
