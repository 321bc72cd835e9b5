import asyncio

import httpx
import task as common


async def main():
    task = common.words()
    limits = httpx.Limits(
        max_connections=int(task["at-once"]), max_keepalive_connections=int(task["at-once"]))
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:

        async def get():
            response = await client.get(task["url"])
            return response.status_code == 200

        await common.measure(get, task)


asyncio.run(main())
