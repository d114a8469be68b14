// SPDX-License-Identifier: GPL-2.0-or-later
// Fixed work: traits, generics, closures, sorting, maps, recursion. usage: work ROUNDS
use std::collections::BTreeMap;

trait Shape {
    fn area(&self, scale: u64) -> u64;
}

struct Polygon<const SIDES: usize>;

impl<const SIDES: usize> Shape for Polygon<SIDES> {
    #[inline(never)]
    fn area(&self, scale: u64) -> u64 {
        (0..SIDES as u64 * 40).fold(scale, |sum, i| std::hint::black_box(sum.wrapping_mul(6364136223846793005).wrapping_add(i)))
    }
}

#[inline(never)]
fn sorted(mut seed: u64) -> u64 {
    let mut values: Vec<u64> = (0..400)
        .map(|_| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed
        })
        .collect();
    values.sort_by(|a, b| (a % 1009).cmp(&(b % 1009)));
    values[200]
}

#[inline(never)]
fn mapped(seed: u64) -> u64 {
    let mut words = BTreeMap::new();
    for i in 0..60 {
        *words.entry(format!("word number {}", seed % 97 + i)).or_insert(0) += i;
    }
    words.len() as u64
}

#[inline(never)]
fn nested(depth: u32, call: &dyn Fn() -> u64) -> u64 {
    if depth == 0 { call() } else { nested(depth - 1, call).wrapping_add(1) }
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1000);
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Polygon::<3>), Box::new(Polygon::<4>), Box::new(Polygon::<6>)];
    let mut sum = 0u64;
    for i in 0..rounds {
        sum = sum.wrapping_add(nested(12, &|| shapes.iter().map(|s| s.area(i)).fold(0, u64::wrapping_add).wrapping_add(sorted(i))));
        sum = sum.wrapping_add(mapped(i));
    }
    std::process::exit((sum == 42) as i32);
}
