//! The results of the search for the most common rates, so that their plans need no search.

use crate::ids::Layout;

/// The best k for a rate and the bits for each key, if the rate is in the table.
pub(super) fn find(layout: Layout, wanted: f64) -> Option<(u32, f64)> {
    let column = match layout {
        Layout::Line => 0,
        Layout::Double => 1,
        Layout::SplitBlock => 2,
        Layout::Scattered => return None,
    };
    let row = RATES.iter().position(|rate| *rate == wanted)?;
    Some(FOUND[row][column])
}

const RATES: [f64; 10] = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4, 1e-5, 1e-6];

/// For each rate: one line, two lines, split blocks. A test compares them with the search.
#[rustfmt::skip]
const FOUND: [[(u32, f64); 3]; RATES.len()] = [
    [(3, 4.841053964544775), (3, 4.814545524890769), (8, 5.988538745836828)],
    [(4, 6.329250807322656), (4, 6.260635254501385), (8, 7.225075933248512)],
    [(5, 8.372110181823418), (6, 8.195725037445706), (8, 9.017867830419885)],
    [(6, 9.945954113865042), (7, 9.672598801818287), (8, 10.529233492048315)],
    [(7, 11.57529592648155), (8, 11.15707991728295), (8, 12.204025482872144)],
    [(8, 13.837235928509754), (9, 13.138379974538518), (8, 14.71827573578246)],
    [(8, 15.724605258187045), (10, 14.659859005430539), (8, 16.889811275776427)],
    [(12, 22.183024636287467), (13, 19.877154835511238), (8, 26.341577225715238)],
    [(14, 29.92732790244404), (16, 25.376620633603856), (8, 40.98538756561)],
    [(16, 39.23762329260104), (16, 31.44921051637409), (8, 64.66299136441864)],
];

#[cfg(test)]
mod tests;
