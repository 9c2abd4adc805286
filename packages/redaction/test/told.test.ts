import { createRedactor } from '@precis/redaction'
import { expect, it } from 'vitest'

// Secrets are put together here, so that this file sets off nobody's alarm.
const redact = createRedactor()
const pw = `Vq7${'$'}mRz2!kLp`
const pw2 = `Sunflower${2291}`
const key = `q8Zt3LmW0xR5${'vB3nKd92JfYp'}`
const hex = `9f86d081884c7d65${'9a2feaa0c55ad015'}`

/** On command lines of many programs, in sentences, in what servers print, in code that logs in, in tables and in browsers' scripts. */
const placements: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  'a property list': [`<key>apiPassword</key>\n\t<string>${pw2}</string>`, pw2],
  'an aligned define': [`define( 'AUTH_KEY',         '${pw}${key}' );`, key],
  'http -a': [`http -a deploy:${pw2} POST :8000/x`, pw2],
  expect: [`expect "assword:"\nsend "${pw2}\\r"\n`, pw2],
  sqlplus: [`sqlplus scott/${pw2}@//db:1521/orcl`, pw2],
  'a sentence': [`the password is ${pw2}, please rotate it`, pw2],
  'login: user / password': [`login: admin / ${pw}`, pw],
  'with password': [`use admin with password ${pw2}`, pw2],
  'a sentence about a key': [`Here's the API key you asked for: ${key}`, key],
  'an arrow': [`api key → ${key}`, key],
  setx: [`setx OPENAI_KEY "${key}"`, key],
  'a tuple of Erlang': [`{password, "${pw2}"}.`, pw2],
  'a list of arguments': [`subprocess.run(["psql", "--password", "${pw2}"])`, pw2],
  getConnection: [`DriverManager.getConnection("jdbc:mysql://h/db", "root", "${pw}")`, pw],
  'AUTH of Redis': [`> AUTH default ${pw2}\nOK`, pw2],
  'smbclient -U': [`smbclient //h/s -U bob%${pw2}`, pw2],
  'openssl -k': [`openssl enc -aes-256-cbc -k ${pw2} -in x`, pw2],
  chpasswd: [`echo "root:${pw2}" | chpasswd`, pw2],
  'useradd -p': [`useradd -m -p ${pw2} bob`, pw2],
  'net use': [`net use Z: \\\\srv\\share /user:bob ${pw2}`, pw2],
  'net user': [`net user bob ${pw2} /add`, pw2],
  'what MySQL says at first': [`A temporary password is generated for root@localhost: ${pw}`, pw],
  'what Jenkins says at first': [`Initial admin password:\n\n${hex}\n`, hex],
  'the seed of one-time passwords': [`"totp":"JBSWY3DPEHPK3PXP"`, 'JBSWY3DPEHPK3PXP'],
  var_dump: [`["password"]=>\n  string(12) "butterscotch"`, 'butterscotch'],
  'pulumi config set': [`pulumi config set --secret dbPassword ${pw2}`, pw2],
  'gh secret set': [`gh secret set API_TOKEN --body "${key}"`, key],
  'a here-string': [`vercel env add STRIPE_KEY production <<< ${key}`, key],
  'put-parameter': [`aws ssm put-parameter --name /db/password --value ${pw2} --type SecureString`, pw2],
  'a hash in LDIF': [`userPassword: {SSHA}${key}${key}`, key],
  'base64 in LDIF': [`userPassword:: ${Buffer.from(pw2).toString('base64')}`, Buffer.from(pw2).toString('base64')],
  'snmpwalk -c': [`snmpwalk -v2c -c ${pw2} 10.0.0.1`, pw2],
  'ipmitool -P': [`ipmitool -H h -U admin -P ${pw2} chassis status`, pw2],
  'winrs -p:': [`winrs -r:h -u:bob -p:${pw2} dir`, pw2],
  'psexec -p': [`psexec \\\\h -u bob -p ${pw2} cmd`, pw2],
  add_user: [`rabbitmqctl add_user bob ${pw2}`, pw2],
  'cqlsh -p': [`cqlsh -u a -p ${pw2} h`, pw2],
  'SET PASSWORD FROM TO': [`ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO '${pw2}'`, pw2],
  'N and quotes': [`CREATE LOGIN bob WITH PASSWORD = N'${pw2}';`, pw2],
  'SET PASSWORD FOR': [`SET PASSWORD FOR 'bob'@'%' = '${pw2}';`, pw2],
  'IDENTIFIED BY without quotes': [`ALTER USER bob IDENTIFIED BY ${pw2};`, pw2],
  'a table of psql': [` id | username | password\n----+----------+------------\n  1 | bob      | ${pw2}\n`, pw2],
  'a table of mysql': [`+------+---------------+\n| user | password      |\n+------+---------------+\n| bob  | ${pw2} |\n+------+---------------+`, pw2],
  'read <<<': [`read -r PASSWORD <<< "${pw2}"`, pw2],
  'Dim As String': [`Dim password As String = "${pw2}"`, pw2],
  'a default behind ??': [`process.env.API_KEY ?? '${key}'`, key],
  'a default of argparse': [`parser.add_argument('--token', default='${key}')`, key],
  'a default of click': [`@click.option('--api-key', default="${key}")`, key],
  'page.type': [`await page.type('#password', '${pw2}')`, pw2],
  '.type': [`cy.get('[name=password]').type('${pw2}')`, pw2],
  send_keys: [`driver.find_element(By.ID, "password").send_keys("${pw2}")`, pw2],
  'page.fill': [`await page.fill('input[name="password"]', '${pw2}')`, pw2],
  'pw for something': [`pw for staging: ${pw2}`, pw2],
  'creds: user:password': [`staging creds: admin:${pw2}`, pw2],
  'pass is': [`the db pass is ${pw2}`, pw2],
  'the code of a network': [`WIFI:T:WPA;S:home;P:${pw2};;`, pw2],
  'PASS in a system call': [`write(3, "PASS ${pw2}\\r\\n", 20)`, pw2],
  'PASS in a log': [`---> PASS ${pw2}`, pw2],
  LOGIN: [`a1 LOGIN bob ${pw2}`, pw2],
}

it.each(Object.entries(placements))('%s', (_, [text, secret]) => {
  expect(redact(text)).not.toContain(secret)
})

const innocent = [
  "pass 'ignore1' to leave them out",
  "t.pass('queue is saturated, 3 of 4')",
  'PASS src/app.test.ts\nPASS TestLogin1',
  'the pass is done, the second pass is next',
  "const { password } = body; Buffer.from(`${user}:${password}`, 'utf8')",
  "expect(out).toContain('Session:')\nexpect(out).not.toContain('Hello, world: 1 + 1 = 2')",
  'git config set user.name alice',
  'function create and pass initialPrompt2 to the next',
  'API key for the project: see the settings page of your account',
  'login: see https://example.com/docs/login2',
]
it.each(innocent)('is left alone: %s', (text) => {
  expect(redact(text)).toBe(text)
})
