//! The component that was built against the contract as it was released: the same bytes load and answer for as long as 0.1.0 is served.
//!
//! How it was made stands in `frozen/README.md`; it is never made again.

use innkeeper::protocol::digest::Sha256;
use innkeeper::{BenchSetup, Capability, ForeignComponent};
use innkeeper_cases::{play_on_bench, read};

use crate::host;

const DIGEST: &str = "44b5b81ca123b071c689e2c21cd5cdff6098ac8c3458ec15db4335e9a31fdbe8";

/// What it asks for, and was granted when it was made.
const GRANTED: [Capability; 6] = [
    Capability::Chat,
    Capability::Worldinfo,
    Capability::Skills,
    Capability::WorkspaceRead,
    Capability::WorkspaceWrite,
    Capability::Random,
];

fn component() -> Vec<u8> {
    std::fs::read(host::package().join("frozen/contract-0.1.0.wasm")).unwrap()
}

#[test]
fn the_bytes_are_those_that_were_frozen() {
    assert_eq!(Sha256::of(&component()).as_str(), DIGEST);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_still_loads_and_answers_as_it_did() {
    let case = read(&host::package().join("frozen/look.toml")).unwrap();
    let open = async |setup| {
        let component = ForeignComponent {
            id: "frozen".to_owned(),
            bytes: component(),
            granted: GRANTED.into(),
        };
        let setup = BenchSetup {
            component: Some(component),
            ..setup
        };
        host::shared().await.tool_bench(setup).await
    };
    assert_eq!(play_on_bench(&case, open).await, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_imports_what_the_contract_had_at_0_1_0() {
    let report = host::shared().await.inspect_component("frozen", &component()).await;
    let imports: Vec<String> = report
        .unwrap()
        .imports
        .into_iter()
        .map(|import| import.interface)
        .collect();
    assert!(imports.iter().all(|name| name.ends_with("@0.1.0")), "{imports:?}");
    for interface in [
        "chat/history",
        "worldinfo/activated",
        "skills/library",
        "workspace/reader",
        "workspace/writer",
        "random/random",
        "log/log",
    ] {
        assert!(
            imports.contains(&format!("innkeeper:{interface}@0.1.0")),
            "{interface}: {imports:?}"
        );
    }
}
