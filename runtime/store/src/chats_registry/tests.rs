//! What the module `chats_registry` promises, tried; no other module is.

use super::*;
use crate::chat::read_chat;

fn id(text: &str) -> StableChatId {
    StableChatId::parse(text).unwrap()
}

struct Data {
    root: tempfile::TempDir,
}

impl Data {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn registry(&self) -> ChatRegistry {
        ChatRegistry::new(self.root.path().join("data"))
    }

    fn chat(&self, name: &str, stable_id: Option<&str>) -> ChatPath {
        let extra = stable_id.map_or(String::from("{}"), |id| {
            format!(r#"{{"tauritavern":{{"agent":{{"stableChatId":"{id}"}}}}}}"#)
        });
        let path = self.root.path().join(name);
        std::fs::write(&path, format!(r#"{{"mes":"x","extra":{extra}}}"#)).unwrap();
        ChatPath::resolve(&path).unwrap()
    }

    fn identify(&self, path: &ChatPath, fresh: &str) -> ChatIdentity {
        self.registry()
            .identify(path, &read_chat(path).unwrap(), &id(fresh))
            .unwrap()
    }

    fn damage(&self, text: &str) -> RegistryError {
        std::fs::create_dir_all(self.root.path().join("data")).unwrap();
        std::fs::write(self.root.path().join("data/chats.json"), text).unwrap();
        let chat = self.chat("x.jsonl", None);
        let error = self
            .registry()
            .identify(&chat, &read_chat(&chat).unwrap(), &id("new"))
            .unwrap_err();
        assert_eq!(
            std::fs::read_to_string(self.root.path().join("data/chats.json")).unwrap(),
            text
        );
        error
    }
}

fn new(text: &str) -> ChatIdentity {
    ChatIdentity {
        stable_chat_id: id(text),
        origin: Origin::New,
    }
}

#[test]
fn workspaces_are_named_after_kind_and_identity() {
    let character = ChatRef::Character {
        character_id: "c".into(),
        file_name: "any name".into(),
    };
    // Figures from `sha256sum` over the JSON text.
    assert_eq!(workspace_id(&character, &id("a\"b")), "chat_30d45373bf232a27");
    assert_eq!(
        workspace_id(&ChatRef::Group { chat_id: "g".into() }, &id("a\"b")),
        "chat_734364d150c58a4d"
    );
}

#[test]
fn a_known_path_keeps_its_identity() {
    let data = Data::new();
    let chat = data.chat("a.jsonl", None);
    assert_eq!(data.identify(&chat, "id-1"), new("id-1"));
    let again = data.identify(&chat, "id-2");
    assert_eq!(
        again,
        ChatIdentity {
            stable_chat_id: id("id-1"),
            origin: Origin::Known
        }
    );
    assert_eq!(data.registry().lookup(&chat).unwrap(), Some(id("id-1")));
}

#[test]
fn a_renamed_chat_takes_its_identity_along() {
    let data = Data::new();
    let old = data.chat("a.jsonl", Some("id-1"));
    assert_eq!(data.identify(&old, "id-1"), new("id-1"));
    std::fs::remove_file(old.as_path()).unwrap();
    let renamed = data.chat("b.jsonl", Some("id-1"));
    let expected = ChatIdentity {
        stable_chat_id: id("id-1"),
        origin: Origin::Renamed {
            from: old.as_path().to_owned(),
        },
    };
    assert_eq!(data.identify(&renamed, "id-2"), expected);
    assert_eq!(data.registry().lookup(&old).unwrap(), None);
    // What takes the old name later is another chat.
    let other = data.chat("a.jsonl", Some("id-1"));
    assert_eq!(data.identify(&other, "id-3"), new("id-3"));
}

#[test]
fn a_branch_and_a_foreign_identity_are_new_chats() {
    let data = Data::new();
    let parent = data.chat("a.jsonl", Some("id-1"));
    data.identify(&parent, "id-1");
    let branch = data.chat("a - Branch #1.jsonl", Some("id-1"));
    assert_eq!(data.identify(&branch, "id-2"), new("id-2"));
    let imported = data.chat("c.jsonl", Some("never registered"));
    assert_eq!(data.identify(&imported, "id-3"), new("id-3"));
}

#[test]
fn a_run_is_bound_to_its_chat() {
    let data = Data::new();
    let chat = data.chat("a.jsonl", None);
    data.identify(&chat, "id-1");
    data.registry().check(&chat, &id("id-1")).unwrap();
    let error = data.registry().check(&chat, &id("id-2")).unwrap_err();
    assert!(matches!(&error, RegistryError::OtherChat { found: Some(found), .. } if *found == id("id-1")));
    assert_eq!(error.code(), "agent.commit_chat_mismatch");
}

#[test]
fn a_damaged_registry_is_named_and_kept() {
    let data = Data::new();
    for text in [
        "",
        "{",
        "[]",
        r#"{"version":2,"chats":{}}"#,
        r#"{"version":1,"chats":{"a":1}}"#,
        r#"{"version":1,"chats":{},"x":1}"#,
    ] {
        let error = data.damage(text);
        assert_eq!(error.code(), "store.chat_registry_damaged", "{text}");
        assert!(error.to_string().contains("chats.json"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_or_pipe_is_no_registry() {
    let data = Data::new();
    let chat = data.chat("a.jsonl", None);
    let file = data.root.path().join("data/chats.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::RWXU).unwrap();
    assert_eq!(
        data.registry().lookup(&chat).unwrap_err().code(),
        "store.chat_registry_unreadable"
    );
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(chat.as_path(), &file).unwrap();
    assert_eq!(
        data.registry().lookup(&chat).unwrap_err().code(),
        "store.chat_registry_unreadable"
    );
}

#[test]
fn registrations_from_many_threads_all_stay() {
    let data = Data::new();
    let chats: Vec<_> = (0..8)
        .map(|number| data.chat(&format!("{number}.jsonl"), None))
        .collect();
    std::thread::scope(|scope| {
        for (number, chat) in chats.iter().enumerate() {
            let data = &data;
            scope.spawn(move || data.identify(chat, &format!("id-{number}")));
        }
    });
    let ids: Vec<_> = chats
        .iter()
        .map(|chat| data.registry().lookup(chat).unwrap().unwrap())
        .collect();
    assert_eq!(
        ids,
        (0..8).map(|number| id(&format!("id-{number}"))).collect::<Vec<_>>()
    );
}
