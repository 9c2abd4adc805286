import { createRedactor } from '@precis/redaction'
import { describe, expect, it } from 'vitest'

const redact = createRedactor()
// Passwords as people choose them, put together here.
const passwords = [`hunter${2}`, `Hunter${2}!`, `Sommer${2024}`, `Xk7pQ2${'vR9t'}`, `geheim${'#'}wort`, `p@ssw${0}rd`]

const sentences: Readonly<Record<string, readonly string[]>> = {
  English: [
    'the password is X',
    'The root password was X.',
    'I set the root password to X yesterday.',
    'changed the password for the database to X',
    'the password has been set to X',
    'log in with the password X, please',
    'login as admin with password X',
    'the password is **X**',
    'Credentials: admin / X',
    'staging login: admin / X',
  ],
  German: [
    'das Passwort ist X',
    'Das Datenbankpasswort lautet X.',
    'das Kennwort heißt jetzt „X“',
    'Das Passwort wurde auf X gesetzt.',
    'Ich habe das Passwort für den Server auf X geändert',
    'melde dich mit dem Passwort X an',
    'Zugangsdaten: admin / X',
    'Anmeldedaten für den Server: admin / X',
  ],
  French: ['le mot de passe est X', 'connecte-toi avec le mot de passe X', 'Identifiants : admin / X'],
  Spanish: ['la contraseña es X', 'la contraseña de la base de datos es X', 'entra con la contraseña X', 'la contraseña ha sido cambiada a X'],
  Portuguese: ['a senha é X', 'entre com a senha X'],
  Italian: ['la password è X', 'accedi con la password X'],
  Dutch: ['het wachtwoord is X', 'log in met het wachtwoord X'],
  Russian: ['пароль: X', 'Пароль — X', 'пароль от базы: X', 'войдите с паролем X'],
  Chinese: ['密码是X', '密码：X，请勿外传', '数据库密码为X。', '密碼:X'],
  Japanese: ['パスワードはXです', 'パスワード：X'],
  Korean: ['비밀번호는 X입니다'],
}

describe('a password of letters with a digit or a sign is found in a sentence', () => {
  for (const [language, texts] of Object.entries(sentences))
    it.each(texts)(`${language}: %s`, (text) => {
      for (const password of passwords)
        for (const said of [text, `${text}\nok`, JSON.stringify({ content: `${text}\nok` })]) {
          const hidden = redact(said.replace('X', password))
          expect(hidden).not.toContain(password.replace(/!$/, ''))
          expect(redact(hidden)).toBe(hidden)
        }
    })
})

describe('a plain word is found behind a label', () => {
  it.each([
    'Server db1, pw: sonnenblume, danke',
    'Nutzer bob, Kennwort: sonnenblume',
    'Hallo, das Passwort: sonnenblume. Danke',
    'Voici. Mot de passe : sonnenblume, merci',
    'usuario ana, Contraseña: sonnenblume.',
    '{"text":"login bob, pw: sonnenblume"}',
    '{"text":"Kennwort: sonnenblume\\nok"}',
    '{"text":"Mot de passe : sonnenblume"}',
  ])('%s', (text) => {
    expect(redact(text)).not.toContain('sonnenblume')
  })
})

describe('is left as it is:', () => {
  it.each([
    // What has a digit in its name
    'the password is sha256 of it, base64 or utf8, md5-hashed, bcrypt2, argon2id',
    'the password is SHA-512-hashed; the password was pbkdf2_sha256; le mot de passe est MD5-chiffré',
    'log in with password oauth2, using password http2, with password x509v3',
    'the password is step2, the password was phase10, set the password to option3',
    'the password is 12characters, the password is 8-digit, das Passwort ist 16-stellig',
    'the password is 2024-11-21, the password was 21.11.2024, the password is v1.12.3-beta2',
    'the password is /etc/secrets2 or ./secrets2.env or https://x.dev/p2',
    'the password is secrets2.yaml, mit dem Passwort aus config2.json',
    'the password is kim2@ledger.dev',
    'the password is getPassword2(), process.env.DB_PASS2 or config.db2.password',
    'the password is DB_PASSWORD2, $DB_PASSWORD2, ${PASS_2}, <password1>, {{ pw1 }} or %PASS1%',
    'the password is new_password2 or newPassword2; ticket ABC-1234, the password is ABC-1234',
    'set the password to your_password1 and the password to example123',
    // Plain words, and what is said of passwords
    'the password is sonnenblume',
    'das Passwort ist sonnenblume, le mot de passe est tournesol',
    'I set the root password to something else',
    'The password is invalid! The password is required. Password was changed.',
    'melde dich mit dem Passwort deines Kontos an',
    'se connecter avec le mot de passe de secours',
    'entra con la contraseña de siempre',
    'Sende das Passwort auf server2 und starte neu',
    'add the password to config2 and send the password to server2',
    'the token is valid2, the pass is phase12',
    'Zugangsdaten: siehe Tresor / Team2, Credentials: see / docs',
    'credentials: config/secrets2, login: see https://x.dev/login2, login: user/profile2',
    // Labels
    'Kennwort: erforderlich, Passwort: vergessen. Mot de passe : obligatoire, Contraseña: incorrecta.',
    'Kennwort: siehe Tresor, Passwort: bitte beim Team erfragen',
    '{ user: name, pw: gehasht, senha: codigo, kennwort: eingabe }',
    'const user = {\n  senha: codigo,\n  kennwort: eingabe,\n}',
    'function check(id: string, pw: string)',
    'Mot de passe : non, Contraseña: no',
    // In other letters
    '密码是否正确，请检查原始密码',
    '密码是base64编码，密码：至少8位，密码为md5',
    'パスワードは8文字以上で入力してください',
    'パスワードは${PASSWORD_MIN_LENGTH}文字以上、パスワード: bcryptjs cost 12',
    'Неверный пароль → проверьте POSTGRES_PASSWORD2 в .env, пароль: sha256',
    'Пароль: {password1}, пароль от базы в файле secrets2.env',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})
