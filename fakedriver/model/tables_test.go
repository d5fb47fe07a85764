// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

// profileTable contains the profiles of a model according to its source.
type profileTable struct {
	// columns are the names of the counters.
	columns []string
	// gpu has the values of the whole GPU.
	gpu []string
	// profiles are in the order of their devices, the smallest first.
	profiles []profileRow
}

// profileRow is one profile. The width is its number of memory slices.
type profileRow struct {
	name      string
	width     int
	instances int // number of instances that fit on a GPU without other partitions
	counters  []string
}

var allColumns = []string{"memory", "multiprocessors", "copy-engines", "decoders", "encoders", "jpeg-engines", "ofa-engines"}

// tables contains the sources that the model files name, transcribed
// independently of the files. The instances are a column of NVIDIA's tables.
var tables = map[string]profileTable{
	"a100-40gb": {
		allColumns,
		[]string{"40Gi", "98", "7", "5", "0", "1", "1"},
		[]profileRow{
			{"1g.5gb", 1, 7, []string{"4864Mi", "14", "1", "0", "0", "0", "0"}},
			{"1g.5gb+me", 1, 1, []string{"4864Mi", "14", "1", "1", "0", "1", "1"}},
			{"1g.10gb", 2, 4, []string{"9856Mi", "14", "1", "1", "0", "0", "0"}},
			{"2g.10gb", 2, 3, []string{"9856Mi", "28", "2", "1", "0", "0", "0"}},
			{"3g.20gb", 4, 2, []string{"19968Mi", "42", "3", "2", "0", "0", "0"}},
			{"4g.20gb", 4, 1, []string{"19968Mi", "56", "4", "2", "0", "0", "0"}},
			{"7g.40gb", 8, 1, []string{"40192Mi", "98", "7", "5", "0", "1", "1"}},
		},
	},
	"a100-80gb": {
		allColumns,
		[]string{"80Gi", "98", "7", "5", "0", "1", "1"},
		[]profileRow{
			{"1g.10gb", 1, 7, []string{"9728Mi", "14", "1", "0", "0", "0", "0"}},
			{"1g.10gb+me", 1, 1, []string{"9728Mi", "14", "1", "1", "0", "1", "1"}},
			{"1g.20gb", 2, 4, []string{"19968Mi", "14", "1", "1", "0", "0", "0"}},
			{"2g.20gb", 2, 3, []string{"19968Mi", "28", "2", "1", "0", "0", "0"}},
			{"3g.40gb", 4, 2, []string{"40192Mi", "42", "3", "2", "0", "0", "0"}},
			{"4g.40gb", 4, 1, []string{"40192Mi", "56", "4", "2", "0", "0", "0"}},
			{"7g.80gb", 8, 1, []string{"79Gi", "98", "7", "5", "0", "1", "1"}},
		},
	},
	"h100-80gb": {
		allColumns,
		[]string{"81559Mi", "132", "8", "7", "0", "7", "1"},
		[]profileRow{
			{"1g.10gb", 1, 7, []string{"9984Mi", "16", "1", "1", "0", "1", "0"}},
			{"1g.10gb+me", 1, 1, []string{"9984Mi", "16", "1", "1", "0", "1", "1"}},
			{"1g.20gb", 2, 4, []string{"20096Mi", "26", "1", "1", "0", "1", "0"}},
			{"2g.20gb", 2, 3, []string{"20096Mi", "32", "2", "2", "0", "2", "0"}},
			{"3g.40gb", 4, 2, []string{"40448Mi", "60", "3", "3", "0", "3", "0"}},
			{"4g.40gb", 4, 1, []string{"40448Mi", "64", "4", "4", "0", "4", "0"}},
			{"7g.80gb", 8, 1, []string{"81152Mi", "132", "8", "7", "0", "7", "1"}},
		},
	},
	"h200-141gb": {
		[]string{"sm-slices", "copy-engines", "decoders", "jpeg-engines", "ofa-engines"},
		[]string{"7", "8", "7", "7", "1"},
		[]profileRow{
			{"1g.18gb", 1, 7, []string{"1", "1", "1", "1", "0"}},
			{"1g.35gb", 2, 4, []string{"1", "1", "1", "1", "0"}},
			{"1g.18gb+me", 1, 1, []string{"1", "1", "1", "1", "1"}},
			{"2g.35gb", 2, 3, []string{"2", "2", "2", "2", "0"}},
			{"3g.71gb", 4, 2, []string{"3", "3", "3", "3", "0"}},
			{"4g.71gb", 4, 1, []string{"4", "4", "4", "4", "0"}},
			{"7g.141gb", 8, 1, []string{"7", "8", "7", "7", "1"}},
		},
	},
}

// diagrams are keyed by the width of a profile and the number of instances that
// fit. A P marks the start of a placement, and a dot its continuation. An X
// marks a placement for which only memory slices are available. The diagrams
// are the KEP's for an A100. nvidia-smi mig -lgipp prints the same placements
// for all models.
var diagrams = map[[2]int]string{
	{8, 1}: "P.......",
	{4, 1}: "P...X...",
	{4, 2}: "P...P...",
	{2, 3}: "P.P.P.X.",
	{2, 4}: "P.P.P.P.",
	{1, 1}: "PPPPPPPX",
	{1, 7}: "PPPPPPPX",
}
