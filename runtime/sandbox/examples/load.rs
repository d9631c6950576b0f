#![allow(missing_docs, clippy::all)]
use innkeeper_sandbox::*;
use std::sync::Arc;
struct C(std::time::Instant);
impl innkeeper_protocol::port::Clock for C { fn wall_ms(&self)->u64{0} fn monotonic_micros(&self)->u64{self.0.elapsed().as_micros() as u64} }
fn main()->std::process::ExitCode{
  let f=std::env::args().nth(1).unwrap();
  if f=="ample"||f=="small" { return compile_in_child(&f); }
  tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(run()); std::process::ExitCode::SUCCESS }
async fn run(){
  let mut a=std::env::args();
  a.next();
  let first=a.next().unwrap();
  let me=std::env::current_exe().unwrap();
  for f in std::iter::once(first).chain(a) {
    let bytes=std::fs::read(&f).unwrap();
    let dg=innkeeper_protocol::digest::Sha256::of(&bytes); for round in 0..12 {
      let s=Sandbox::new(SandboxConfig{cache_dir:Some("/tmp/w/sbx/ldcache".into()),compiler:Compiler::Child{program:me.clone(),arguments:vec![]},..Default::default()},Arc::new(C(std::time::Instant::now()))).unwrap();
      let t=std::time::Instant::now();
      let r=s.compile_known(&bytes,dg.clone(),Provenance::Stranger).await;
      println!("{f} {} bytes round {round}: {:?} {:?}",bytes.len(),t.elapsed(),r.as_ref().map(|c|c.imports.len()));
    }
    let t=std::time::Instant::now(); let d=innkeeper_protocol::digest::Sha256::of(&bytes); println!("  sha256 alone {:?} {}",t.elapsed(),d.as_str().len());
  }
}
