// A hundred types that lead to each other: what is written is looked at, and nothing that it could have been. Never run.

import { Client } from "./large.js";

const client = new Client({ url: "http://localhost" });

export async function ask(): Promise<unknown[]> {
  const objects = await client.find("api::type1.type1", {
    populate: {
      relation0: { populate: { relation1: { populate: { relation2: { populate: "*" } } } } },
      zone: { on: { "large.one": { populate: ["related"] } } },
    },
    filters: { relation0: { relation1: { relation2: { value0: { $null: true } } } } },
  });
  const paths = await client.find("api::type2.type2", { populate: ["relation0.relation1.relation2", "zone.related"] });
  // @ts-expect-error: there is no such relation, three levels down
  await client.find("api::type2.type2", { populate: { relation0: { populate: { relation1: { populate: { nope: true } } } } } });
  const found = objects.data[0]?.attributes.relation0.data?.attributes.relation1.data?.attributes.relation2.data;
  return [found?.attributes.value0, paths.data[0]?.attributes.relation0.data?.attributes.relation1.data?.id];
}
