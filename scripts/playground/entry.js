import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import "graphiql/graphiql.css";
import "./page.css";

// Styles that are made while the page runs bear the nonce that this script came with.
globalThis.__webpack_nonce__ = document.currentScript.nonce;

const query = `# Write an operation on the left and run it with the button or Ctrl-Enter.
# The book in the corner shows what can be asked. A token goes into Headers:
#   { "Authorization": "Bearer ..." }

{
  __schema {
    queryType {
      fields {
        name
      }
    }
  }
}
`;

const fetcher = createGraphiQLFetcher({ url: location.pathname });
const root = createRoot(document.getElementById("graphiql"));
root.render(createElement(GraphiQL, { fetcher, defaultQuery: query, shouldPersistHeaders: false }));
