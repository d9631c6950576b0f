    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 8192))

    ;; Hands out memory and never takes it back; the instance lives for one call.
    (func $realloc (export "realloc") (param $old i32) (param $old-size i32) (param $align i32) (param $size i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get $size)))
      (block $fits
        (br_if $fits (i32.le_u (global.get $next) (i32.mul (memory.size) (i32.const 65536))))
        (drop (memory.grow (i32.add (i32.div_u (local.get $size) (i32.const 65536)) (i32.const 1)))))
      (local.get $at))

    ;; Texts of the specification.
    (data (i32.const 1024) "hostile.act")
    (data (i32.const 1040) "Hostile")
    (data (i32.const 1056) "Does harm.")
    (data (i32.const 1072) "{\"type\":\"object\"}")
    ;; The specification: name, title, description, input schema; no output schema; annotations, visibility model, permission allow;
    ;; no budget; uses nothing.
    (data (i32.const 2048)
      "\00\04\00\00" "\0b\00\00\00"
      "\10\04\00\00" "\07\00\00\00"
      "\20\04\00\00" "\0a\00\00\00"
      "\30\04\00\00" "\11\00\00\00")
    ;; The list with that one specification.
    (data (i32.const 2304) "\00\08\00\00" "\01\00\00\00")
