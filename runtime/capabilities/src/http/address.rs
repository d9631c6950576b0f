//! Addresses that anybody may be reached at: none of this machine, of a private network, or of nobody at all.
//!
//! The list is of what is allowed, so that a range which nobody has thought of is refused. Forms of version 6 that hide an address of
//! version 4 (mapped, translated, tunnelled) are refused whatever they hide.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of version 4 that are not global, as first address and bits (RFC 6890 and the registry that it founded).
const NOT_GLOBAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The one range of version 6 that is global unicast (RFC 4291).
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What of it is for protocols, documentation, or addresses of version 4 in disguise.
const NOT_GLOBAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether the address is one of the public network.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_GLOBAL_V4.iter().any(|range| holds_v4(range, address)),
        IpAddr::V6(address) => {
            holds_v6(&GLOBAL_V6, address) && !NOT_GLOBAL_V6.iter().any(|range| holds_v6(range, address))
        }
    }
}

fn holds_v4((first, bits): &(Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    let shift = 32_u32.saturating_sub(*bits);
    first.to_bits() >> shift == address.to_bits() >> shift
}

fn holds_v6((first, bits): &(Ipv6Addr, u32), address: Ipv6Addr) -> bool {
    let shift = 128_u32.saturating_sub(*bits);
    first.to_bits() >> shift == address.to_bits() >> shift
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_of_the_public_network_are_told_from_all_others() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1",
            "2a00::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for other in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.168.1.1",
            "198.19.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:808:808::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!is_public(other.parse().unwrap()), "{other}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_the_standard_library_knows_as_special_is_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let is_special = address.is_private() || address.is_loopback() || address.is_link_local() || address.is_multicast()
                || address.is_broadcast() || address.is_unspecified() || address.is_documentation();
            prop_assert!(!(is_special && is_public(address.into())), "{address}");
        }

        #[test]
        fn no_address_of_version_4_gets_in_through_version_6(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            prop_assert!(!is_public(address.to_ipv6_mapped().into()) && !is_public(address.to_ipv6_compatible().into()));
        }
    }
}
