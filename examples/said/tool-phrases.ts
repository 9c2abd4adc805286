/** What only a tool says, by language: a sentence, the question about it, the same in other words. A name and a value are put in. */
const table: Readonly<Record<string, string>> = {
  en: `
The {name} gateway listens on port {value}. | which port does the {name} gateway listen on? | what number do I put behind the colon to reach {name}?
The refund from {name} has the reference {value}. | what is the reference of the refund from {name}? | what do I quote when {name} say they never owed me a thing?
Scans for {name} are stored under {value}. | where are the scans for {name} stored? | which folder do I open to get at the pictures of {name}?
The caretaker at {name} answers on {value}. | on which number does the caretaker at {name} answer? | how do I phone the person who looks after {name}?`,
  de: `
Das Gateway {name} lauscht auf Port {value}. | auf welchem Port lauscht das Gateway {name}? | welche Zahl kommt hinter den Doppelpunkt, damit ich {name} erreiche?
Die Erstattung von {name} hat das Zeichen {value}. | welches Zeichen hat die Erstattung von {name}? | was gebe ich an, wenn {name} behauptet, mir nichts zu schulden?
Die Scans für {name} liegen unter {value}. | wo liegen die Scans für {name}? | welchen Ordner öffne ich für die Bilder von {name}?
Der Hausmeister von {name} meldet sich unter {value}. | unter welcher Nummer meldet sich der Hausmeister von {name}? | wie rufe ich an, wer sich um {name} kümmert?`,
  fr: `
La passerelle {name} écoute sur le port {value}. | sur quel port écoute la passerelle {name} ? | quel nombre je mets après les deux-points pour joindre {name} ?
Le remboursement de {name} porte la référence {value}. | quelle référence porte le remboursement de {name} ? | qu'est-ce que je cite si {name} prétend ne rien me devoir ?
Les scans pour {name} sont rangés sous {value}. | où sont rangés les scans pour {name} ? | quel dossier j'ouvre pour voir les images de {name} ?
Le gardien de {name} répond au {value}. | à quel numéro répond le gardien de {name} ? | comment j'appelle la personne qui s'occupe de {name} ?`,
  es: `
La pasarela {name} escucha en el puerto {value}. | ¿en qué puerto escucha la pasarela {name}? | ¿qué número pongo detrás de los dos puntos para llegar a {name}?
El reembolso de {name} tiene la referencia {value}. | ¿qué referencia tiene el reembolso de {name}? | ¿qué les digo si {name} asegura que no me debe nada?
Los escaneos de {name} se guardan en {value}. | ¿dónde se guardan los escaneos de {name}? | ¿qué carpeta abro para ver las imágenes de {name}?
El conserje de {name} contesta en el {value}. | ¿en qué número contesta el conserje de {name}? | ¿cómo llamo a quien cuida de {name}?`,
  it: `
Il gateway {name} ascolta sulla porta {value}. | su quale porta ascolta il gateway {name}? | che numero metto dopo i due punti per raggiungere {name}?
Il rimborso di {name} ha il riferimento {value}. | che riferimento ha il rimborso di {name}? | cosa cito se {name} dice che non mi deve niente?
Le scansioni di {name} sono salvate in {value}. | dove sono salvate le scansioni di {name}? | quale cartella apro per vedere le immagini di {name}?
Il custode di {name} risponde al {value}. | a quale numero risponde il custode di {name}? | come chiamo chi si occupa di {name}?`,
  pt: `
O gateway {name} escuta na porta {value}. | em que porta escuta o gateway {name}? | que número ponho depois dos dois pontos para chegar a {name}?
O reembolso de {name} tem a referência {value}. | que referência tem o reembolso de {name}? | o que digo se {name} garante que não me deve nada?
As digitalizações de {name} estão guardadas em {value}. | onde estão guardadas as digitalizações de {name}? | que pasta abro para ver as imagens de {name}?
O zelador de {name} atende no {value}. | em que número atende o zelador de {name}? | como ligo para quem cuida de {name}?`,
  nl: `
De gateway {name} luistert op poort {value}. | op welke poort luistert de gateway {name}? | welk getal zet ik achter de dubbele punt om {name} te bereiken?
De terugbetaling van {name} heeft kenmerk {value}. | welk kenmerk heeft de terugbetaling van {name}? | wat noem ik als {name} zegt dat ze me niets schuldig zijn?
Scans voor {name} staan onder {value}. | waar staan de scans voor {name}? | welke map open ik voor de foto's van {name}?
De conciërge van {name} neemt op onder {value}. | onder welk nummer neemt de conciërge van {name} op? | hoe bel ik degene die op {name} past?`,
  pl: `
Brama {name} nasłuchuje na porcie {value}. | na którym porcie nasłuchuje brama {name}? | jaką liczbę wpisać po dwukropku, żeby dostać się do {name}?
Zwrot od {name} ma sygnaturę {value}. | jaką sygnaturę ma zwrot od {name}? | co mam podać, gdy {name} twierdzi, że nic mi nie jest winien?
Skany dla {name} leżą w {value}. | gdzie leżą skany dla {name}? | który folder otworzyć, żeby obejrzeć zdjęcia {name}?
Dozorca w {name} odbiera pod numerem {value}. | pod jakim numerem odbiera dozorca w {name}? | jak zadzwonić do kogoś, kto pilnuje {name}?`,
  ru: `
Шлюз {name} слушает порт {value}. | какой порт слушает шлюз {name}? | какое число писать после двоеточия, чтобы попасть на {name}?
Возврат от {name} имеет номер {value}. | какой номер имеет возврат от {name}? | на что мне сослаться, если {name} говорят, что ничего не должны?
Сканы для {name} хранятся в {value}. | где хранятся сканы для {name}? | какую папку открыть, чтобы посмотреть картинки {name}?
Вахтёр в {name} отвечает по {value}. | по какому номеру отвечает вахтёр в {name}? | как позвонить тому, кто присматривает за {name}?`,
  ja: `
{name}のゲートウェイはポート{value}で待ち受けています。 | {name}のゲートウェイはどのポートで待ち受けてる？ | {name}につなぐとき、コロンの後ろの数字は何だっけ？
{name}からの返金の照会番号は{value}です。 | {name}からの返金の照会番号は？ | {name}に払うものはないって言われたら何を伝えればいい？
{name}のスキャンは{value}に保存されています。 | {name}のスキャンはどこに保存されてる？ | {name}の画像を見るにはどのフォルダを開く？
{name}の管理人の内線は{value}です。 | {name}の管理人の内線は何番？ | {name}の世話をしてる人に電話するにはどうすればいい？`,
  zh: `
{name} 网关监听端口 {value}。 | {name} 网关监听哪个端口？ | 要连上 {name}，冒号后面写多少？
{name} 的退款编号是 {value}。 | {name} 的退款编号是多少？ | 如果 {name} 说什么都不欠我，我该报什么？
{name} 的扫描件存放在 {value}。 | {name} 的扫描件存放在哪里？ | 想看 {name} 的图片要打开哪个文件夹？
{name} 的管理员分机是 {value}。 | {name} 的管理员分机是多少？ | 怎么打电话给照看 {name} 的人？`,
  ko: `
{name} 게이트웨이는 포트 {value}에서 대기합니다. | {name} 게이트웨이는 어느 포트에서 대기해? | {name}에 접속하려면 콜론 뒤에 뭘 써야 해?
{name}의 환불 조회 번호는 {value}입니다. | {name}의 환불 조회 번호는 뭐야? | {name}에서 줄 돈이 없다고 하면 뭘 알려 줘야 해?
{name}의 스캔은 {value}에 저장되어 있습니다. | {name}의 스캔은 어디에 저장되어 있어? | {name} 사진을 보려면 어떤 폴더를 열어야 해?
{name} 관리인의 내선 번호는 {value}입니다. | {name} 관리인의 내선 번호는? | {name}을 돌보는 사람에게 어떻게 전화해?`,
}

/** Those of a language; English where there are none. */
export const phrasesOf = (language: string): readonly (readonly string[])[] =>
  (table[language.split('-')[0] ?? ''] ?? table['en'] ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split(' | '))
