//! Cards in JSON and in images, and images that are damaged or made to do harm.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(kind);
    hasher.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], kind, data, &hasher.finalize().to_be_bytes()].concat()
}

fn image(chunks: &[Vec<u8>]) -> Vec<u8> {
    let head = [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &[0; 13])].concat();
    [head, chunks.concat(), chunk(b"IEND", b"")].concat()
}

fn encoded(name: &str) -> String {
    STANDARD.encode(json!({ "name": name }).to_string())
}

fn text(keyword: &str, text: &str) -> Vec<u8> {
    chunk(b"tEXt", format!("{keyword}\0{text}").as_bytes())
}

fn name(bytes: &[u8]) -> Result<String, CardProblem> {
    Ok(card_of(bytes)?["name"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn the_third_version_wins_and_keywords_have_no_case() {
    let both = image(&[text("Chara", &encoded("two")), text("CCV3", &encoded("three"))]);
    assert_eq!(name(&both).as_deref(), Ok("three"));
    let twice = image(&[text("chara", &encoded("first")), text("chara", &encoded("second"))]);
    assert_eq!(name(&twice).as_deref(), Ok("first"));
    assert_eq!(name("\u{feff}{\"name\": \"plain\"}".as_bytes()).as_deref(), Ok("plain"));
}

#[test]
fn other_tools_pack_the_text_and_break_its_lines() {
    let broken = encoded("Wren")
        .replace('=', "")
        .chars()
        .map(|c| format!("{c}\r\n"))
        .collect::<String>();
    assert_eq!(name(&image(&[text("chara", &broken)])).as_deref(), Ok("Wren"));
    let packed = compress_to_vec_zlib(encoded("Wren").as_bytes(), 6);
    let z = chunk(b"zTXt", &[b"chara\0\0", &packed[..]].concat());
    assert_eq!(name(&image(&[z])).as_deref(), Ok("Wren"));
    let i = chunk(b"iTXt", &[b"chara\0\x01\0en\0k\0", &packed[..]].concat());
    assert_eq!(name(&image(&[i])).as_deref(), Ok("Wren"));
    let plain = chunk(b"iTXt", &[b"chara\0\0\0\0\0", encoded("Wren").as_bytes()].concat());
    assert_eq!(name(&image(&[plain])).as_deref(), Ok("Wren"));
}

#[test]
fn an_image_without_a_card_and_damaged_text_are_told() {
    assert_eq!(name(&image(&[text("Software", "x")])), Err(CardProblem::NoCard));
    assert_eq!(
        name(&image(&[text("chara", "%%%")])),
        Err(CardProblem::Encoding { keyword: "chara" })
    );
    let cut = STANDARD.encode("{\"name\":");
    assert!(matches!(
        name(&image(&[text("ccv3", &cut)])),
        Err(CardProblem::NotJson(_))
    ));
    assert_eq!(name(b"PK\x03\x04..."), Err(CardProblem::Archive));
    assert!(matches!(name(b"GIF89a"), Err(CardProblem::NotJson(_))));
}

#[test]
fn lengths_and_checksums_are_checked() {
    let whole = image(&[text("chara", &encoded("Wren"))]);
    let first = 8 + 25;
    let mut huge = whole.clone();
    huge[first] = 0xFF;
    let length = u32::from_be_bytes(huge[first..first + 4].try_into().unwrap());
    assert_eq!(name(&huge), Err(PngProblem::Length { at: first, length }.into()));
    let mut long = whole.clone();
    long[first] = 0x7F;
    assert_eq!(name(&long), Err(PngProblem::Truncated { at: long.len() }.into()));
    let mut flipped = whole.clone();
    flipped[first + 20] ^= 1;
    assert_eq!(name(&flipped), Err(PngProblem::Checksum { at: first }.into()));
    let endless = [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"tEXt", b"a\0b").repeat(20_001)].concat();
    assert_eq!(name(&endless), Err(PngProblem::TooManyChunks.into()));
}

#[test]
fn a_packed_text_is_unpacked_up_to_a_limit() {
    let bomb = compress_to_vec_zlib(&vec![b'A'; 32 * 1024 * 1024], 9);
    let at = 8 + 25;
    let z = image(&[chunk(b"zTXt", &[b"chara\0\0", &bomb[..]].concat())]);
    assert!(z.len() < 100_000);
    assert_eq!(name(&z), Err(PngProblem::TextTooLarge { at }.into()));
    let method = image(&[chunk(b"zTXt", b"chara\0\x07data")]);
    assert_eq!(name(&method), Err(PngProblem::Packed { at }.into()));
    let short = image(&[chunk(b"iTXt", b"chara\0\x01")]);
    assert_eq!(name(&short), Err(PngProblem::Packed { at }.into()));
}

#[test]
fn a_file_says_which_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wren.png");
    assert_eq!(read_card(&path).unwrap_err().code(), "card.not_found");
    assert_eq!(read_card(folder.path()).unwrap_err().code(), "card.unreadable");
    std::fs::write(&path, image(&[])).unwrap();
    let error = read_card(&path).unwrap_err();
    assert_eq!(error.code(), "card.no_card");
    assert!(error.to_string().contains("wren.png"), "{error}");
    std::fs::write(&path, image(&[text("chara", &encoded("Wren"))])).unwrap();
    assert_eq!(read_card(&path).unwrap(), json!({"name": "Wren"}));
}

proptest! {
    /// Cut anywhere, or with any byte changed, an image gives its card or an error.
    #[test]
    fn no_damage_is_fatal(cut in 0_usize..200, place in 0_usize..200, value: u8) {
        let whole = image(&[text("chara", &encoded("Wren")), text("ccv3", &encoded("Three"))]);
        let cut = &whole[..cut.min(whole.len() - 1)];
        prop_assert!(name(cut).is_err());
        let mut changed = whole.clone();
        let place = place % whole.len();
        changed[place] = value;
        let found = name(&changed);
        prop_assert!(found.is_err() || found.as_deref() == Ok("Three"), "{found:?}");
    }
}
