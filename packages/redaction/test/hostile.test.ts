import { createRedactor, InvalidConfigurationError } from '@precis/core'
import { createRedactor as createFull, secretRules } from '@precis/redaction'
import { describe, expect, it } from 'vitest'

// Secrets are put together here, so that this file sets off nobody's alarm.
const redact = createFull()
const [pw, pw2] = [`k9Jq3${'rX7tn'}`, `m9Jq3${'rX7tn'}`]
const [key, key2] = [`${pw}F2MI8K7Md4`, `${pw2}F2MI8K7Md4`]
const [hex, hex2] = [`9f8e7d6c5b4a3928${'1706f5e4d3c2b1a0'}`, `8f8e7d6c5b4a3928${'1706f5e4d3c2b1a1'}`]
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const found: Readonly<Record<string, readonly [text: string, ...secrets: readonly string[]]>> = {
  // URLs
  'a host with _': [`DATABASE_URL=postgres://bob:${pw}@app_db:5432/x`, pw],
  'no user, a host with _': [`redis://:${pw}@redis_cache:6379`, pw],
  'a variable of a shell as host': [`postgresql://bob:${pw}@\${DB_HOST}:5432/x`, pw],
  'a variable of Python as host': [`f"postgresql://bob:${pw}@{host}/x"`, pw],
  'a variable as user': [`postgresql://\${DB_USER}:${pw}@db/x`, pw],
  'many hosts': [`mongodb://u:${pw}@mongo_1:27017,h2:27017/x`, pw],
  'no host': [`postgres://bob:${pw}@/db?host=/cloudsql/p`, pw],
  'an address of Go, tcp': [`bob:${pw}@tcp(127.0.0.1:3306)/db`, pw],
  'an address of Go, unix': [`dsn := "bob:${pw}@unix(/run/mysql.sock)/db"`, pw],
  // Several
  'keys with commas': [`API_KEYS=${key},${key2}`, key, key2],
  'a list in brackets': [`passwords: ["${pw}", "${pw2}"]`, pw, pw2],
  'a list on lines': ['admin_passwords:\n  - hunter2abc\n  - winter3def\n', 'hunter2abc', 'winter3def'],
  'a list of keys on lines': [`tokens:\n  - ${hex}\n  - ${hex2}\n`, hex, hex2],
  'a list on lines without an indentation': [`tokens:\n- ${hex}\n- "${hex2}"\n`, hex, hex2],
  'a list in brackets on lines': [`tokens = [\n  "${key}",\n  "${key2}",\n]`, key, key2],
  'a map on lines': [`passwords:\n  bob: ${pw}\n  eve: ${pw2}\n`, pw, pw2],
  'a map in JSON': [`{"passwords": {"bob": "${pw}", "eve":"${pw2}"}}`, pw, pw2],
  'a map in code': [`const passwords = {\n  bob: '${pw}',\n  eve: '${pw2}',\n}`, pw, pw2],
  // Signs
  'an ampersand': [`DB_PASSWORD=k9Jq3r&X7tnF2MI8\nDEBUG=1`, 'X7tnF2MI8'],
  'a semicolon': ['password: k9Jq3r;X7tnF2MI8', 'X7tnF2MI8'],
  'a bracket': ['DB_PASSWORD=k9Jq3r(X7tnF2MI8', 'k9Jq3r', 'X7tnF2MI8'],
  'an ampersand behind a word': ['PASSWORD=Sum&mer2024', 'mer2024'],
  'a key with signs': [`SECRET_KEY=${key}&k(9z-e2`, key, '(9z-e2'],
  // Signs in front, in quotes
  'a dollar in front': ['{"password":"$ecur3P@ss99"}', 'ecur3P@ss99'],
  'an ampersand in front': ['{"password":"&kJ29xx!fTw"}', 'kJ29xx!fTw'],
  'a dollar in front in a shell': ["DB_PASSWORD='$ecur3P@ss99'", 'ecur3P@ss99'],
  'an at in front': ['password: "@dm1nistrator!"', 'dm1nistrator'],
  'an asterisk in front': ['{"password":"*9kJx!fTw"}', '9kJx!fTw'],
  'a question mark in front': ['{"password":"?k9Jq3rX7"}', 'k9Jq3rX7'],
  // Forms
  'the address of a bot': [`https://api.telegram.org/bot123456789:A${'AHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX'}/getMe`, 'AHdqTcvCH1vGWJxf'],
  'the seal of a vault': [`Unseal Key 1: 4jYbl2CBIv6Spk${'Kj6Hos9iD32k5RfGkLzlosrrq/JgOm'}`, 'Kj6Hos9iD32k5RfGkLzlosrrq'],
  'a key of WireGuard': [`PresharedKey = yBnz5TF+zzzYyt45${'UOptgN8a9bfmH2nHiRr4Ohjd4xk='}`, 'UOptgN8a9bfmH2nHiRr4Ohjd4xk'],
  'a quote in a text in a text': [JSON.stringify({ a: JSON.stringify({ password: 'Sum"mer2024' }) }), 'mer2024'],
  'a secret of Kubernetes': [`apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  DATABASE_URL: ${base64('postgres://a@b/c')}\n  .dockerconfigjson: ${base64('{"auths":{}}')}\n`, base64('postgres://a@b/c'), base64('{"auths":{}}')], // biome-ignore format: one line
  'a secret of Kubernetes, data first': [`data:\n  url: ${base64('postgres://a@b/c')}\nkind: Secret\n---\ndata:\n  a: b\n`, base64('postgres://a@b/c')],
}

describe('a secret is found with', () => {
  it.each(Object.entries(found))('%s', (_, [text, ...secrets]) => {
    const hidden = redact(text)
    for (const secret of secrets) expect(hidden).not.toContain(secret)
    expect(redact(hidden)).toBe(hidden)
  })
})

describe('is left as it is:', () => {
  it.each([
    // Flags of other commands, and flags that are no passwords
    'docker build . && mkdir -p build2/out && cp -a src/v2 build2/out',
    'curl -fsS localhost/health && docker run -u 1000:1000 app',
    'docker compose -p shop2 up -d',
    'cat docker-compose.yml | grep -a name2',
    'docker run -w app2 img',
    'unzip -p archive1.zip f',
    'unzip -a archive1.zip',
    'zip -r a.zip . && git add -p file2',
    'psql -w mydb2',
    'curl x && uvicorn -u main:app1',
    'curl x; docker run -u app:group1 img',
    'docker logs x | grep -w req42',
    // Addresses
    'http://localhost:5173/@fs/src/main2.ts',
    'https://$USER:$PASS@$HOST/x',
    'see user:password@tcp(localhost:3306)/db',
    // Lists that are none of secrets
    'passwords:\n  min_length: 8\n  algorithm: sha256\n',
    'secrets:\n  - db_password\n  - api_key2\n',
    'secrets:\n  db:\n    file: ./x1.txt\n',
    'secrets:\n  inherit: true\n  token1:\n    required: true\n',
    'tokens: [\n  "identifier",\n  "string2",\n]',
    'const tokens = {\n  space1: "4px",\n  space2: "8px",\n}',
    'tokens:\n  max: 4096\n  model: gpt-5.2\n',
    'connect(password=dbPassword, username2)',
    // Code and choices at the beginning of a line
    'password=get_password(user1)',
    'password=md5(x1),',
    'password: string|null;',
    'password: Uint8Array|string',
    'password: z.string().min(8),',
    'password: bcrypt|argon2|md5',
    'password: a1&&b2',
    'password=decrypt(\n  cipher2,\n)',
    'password: faker.internet.password(12),',
    "password=cfg['pw1'];",
    'pass=3;fail=2',
    // References in quotes
    'password: "$DB_PASS2"',
    'password => "$config[db2]"',
    'password: "$this->password2"',
    'password="@string/pw1"',
    'password="%PASS1%"',
    'password = "%(pass)s"',
    'USER_PASSWD = "%s:%s"',
    'password: "(min. 8 chars)"',
    'password="<your pw1>"',
    'password: "{password1}"',
    'password: "<%= ENV[1] %>"',
    // Not of Kubernetes
    'kind: ConfigMap\ndata:\n  url: cG9zdGdyZXM6Ly9hQGIvYw==\n',
    'kind: Secret\nmetadata:\n  name: database-credentials\n',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})

describe('what is no rule is refused, with what to write instead', () => {
  it.each([
    ['a pattern alone', [/x/g], /rules\[0\] is a pattern alone; write \{ tag: 'customer', pattern: \/x\/g \}/],
    ['a text as pattern', [{ tag: 'a', pattern: 'ACME' }], /rules\[0\]\.pattern is "ACME"; write a regular expression: new RegExp\("ACME", 'g'\)/],
    ['nothing', [...secretRules, undefined], /rules\[\d+\] is undefined; write \{ tag/],
    ['an object without a pattern', [{ tag: 'a' }], /rules\[0\] is object; write/],
    ['a pattern without a tag', [{ pattern: /ACME/ }], /rules\[0\]\.tag is undefined; expected letters, digits and hyphens/],
    ['a tag that is no text', [{ tag: 3, pattern: /ACME/ }], /rules\[0\]\.tag is 3; expected letters/],
    ['a tag with spaces', [{ tag: 'a b', pattern: /ACME/ }], /rules\[0\]\.tag is "a b"; expected letters/],
    ['a rule that is in no list', { tag: 'a', pattern: /ACME/ }, /rules is an object with tag, pattern; write \[\.\.\.secretRules, your own\]/],
  ])('%s', (_, rules, expected) => {
    expect(() => createFull(rules as never)).toThrow(expected)
    expect(() => createFull(rules as never)).toThrow(InvalidConfigurationError)
  })
  it.each([
    [{ salt: 3 }, 'salt is 3; expected a text'],
    [{ salt: '' }, 'salt is empty; expected a text'],
    [{ slat: 'k9Jq' }, 'unknown option "slat" of createRedactor; write one of salt'],
    ['k9Jq', 'createRedactor is a text; expected an object with salt'],
  ])('a salt that would not be used is refused: %#', (options, expected) => {
    expect(() => createFull(secretRules, options as never)).toThrow(expected)
    expect(() => createFull(secretRules, options as never)).not.toThrow('k9Jq')
  })
  it('patterns of other engines, finders and functions are rules', () => {
    const engine = { replace: (text: string) => text }
    for (const rule of [{ tag: 'a', pattern: engine }, { find: () => [] }, (text: string) => text]) expect(createFull([rule])('plain')).toBe('plain')
    expect(createRedactor([{ tag: 'a', pattern: engine }])('plain')).toBe('plain')
  })
})
