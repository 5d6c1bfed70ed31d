// A conversation with OpenAI's own package for Node: node talk.mjs <base URL> <api> <stream> <system> <user>
import OpenAI from 'openai';

const [, , baseURL, api, stream, system, user] = process.argv;
const client = new OpenAI({ baseURL, apiKey: 'sk-test', maxRetries: 0 });
const streaming = stream === 'true';
let said = '';

if (api === 'chat') {
  const messages = [{ role: 'system', content: system }, { role: 'user', content: user }];
  const answer = await client.chat.completions.create({ model: 'm', messages, stream: streaming });
  if (streaming) for await (const chunk of answer) said += chunk.choices[0]?.delta?.content ?? '';
  else said = answer.choices[0].message.content;
} else {
  const answer = await client.responses.create({ model: 'm', instructions: system, input: user, stream: streaming });
  if (streaming) for await (const event of answer) said += event.type === 'response.output_text.delta' ? event.delta : '';
  else said = answer.output_text;
}
process.stdout.write(said);
