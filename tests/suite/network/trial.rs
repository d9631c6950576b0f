//! A package that sends requests, tried by its author with nobody to send them to.

use innkeeper::protocol::network::HttpMethod;
use innkeeper::{BenchNetwork, CannedAnswer, LoadedPackage, TrialPackage, TrialSetup};
use innkeeper_cases::{Case, play_on_bench, read};
use tempfile::TempDir;

use super::Sends;
use crate::host;

const URL: &str = "https://tide.example/now";

async fn loaded() -> LoadedPackage {
    let package = Sends::new("POST", URL.to_owned()).package("https://tide.example");
    let package = TrialPackage::read(package.path()).unwrap();
    host::shared().await.load_trial(&package).await.unwrap()
}

fn case(http: &str, text: &str) -> Case {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("case.toml");
    let call = format!("[[call]]\ntool = \"hostile.act\"\ntext_is = \"{text}\"\n");
    std::fs::write(&file, format!("title = \"t\"\nrule = \"r\"\n{http}{call}")).unwrap();
    read(&file).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_says_what_a_server_answers_and_nothing_is_sent() {
    let (host, package) = (host::shared().await, loaded().await);
    let play = async |case: &Case| play_on_bench(case, async |setup| host.trial_bench(&package, setup).await).await;
    let answer = format!("[[http]]\nmethod = \"POST\"\nurl = \"{URL}\"\nbody = \"high\"\n");
    assert_eq!(play(&case(&answer, "high")).await, Ok(()));
    let nothing = "there is no network here, and no answer for this request";
    assert_eq!(play(&case("", nothing)).await, Ok(()));
    let wrong = play(&case(&answer.replace("POST", "TRACE"), "high")).await.unwrap_err();
    assert!(wrong.contains("\"TRACE\" is no method"), "{wrong}");
}

/// Nothing outside can have changed, so a call that is squeezed fails like any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_sends_is_tried_like_any_other() {
    let scratch = TempDir::new().unwrap();
    let answer = CannedAnswer {
        method: HttpMethod::Post,
        url: URL.to_owned(),
        status: 200,
        headers: Vec::new(),
        body: b"high".to_vec(),
    };
    let setup = TrialSetup {
        scratch: scratch.path().to_path_buf(),
        samples: Vec::new(),
        network: BenchNetwork::Canned(vec![answer]),
        seed: 1,
        rounds: 4,
    };
    let report = host::shared()
        .await
        .try_extension(&loaded().await, setup)
        .await
        .unwrap();
    let checks = &report.tools[0].checks;
    let findings: Vec<_> = checks.iter().flat_map(|check| &check.findings).collect();
    assert!(findings.is_empty(), "{findings:?}");
    assert!(checks.iter().any(|check| check.calls > 0));
}
