// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

// outputFolder is the folder of the schemas of outputs in docs/schema.
const outputFolder = "output"

// commandFolder is the folder of the types that only the command has.
const commandFolder = "e2e/cmd/draconform"

// Outputs returns what commands print with -o json and -o yaml, in the order of their
// names. "draconform report" with one run prints its report, which is a file.
func Outputs() []Format {
	all := []Format{
		{Command: "draconform allocate", File: "allocate", dir: commandFolder, root: "outcome", list: true},
		{Command: "draconform cache list", File: "cache-list", dir: "clusters/nodeimage", root: "Stored", list: true},
		{Command: "draconform clean --dry-run", File: "clean", dir: "e2e/run", root: "Leftover", list: true},
		{Command: "draconform cluster list", File: "cluster-list", dir: "clusters/kind", root: "Cluster", list: true},
		{Command: "draconform cluster status", File: "cluster-status", dir: commandFolder, root: "instanceStatus", list: true},
		// Those of cluster downgrade, gates and scheduler are the same.
		{Command: "draconform cluster upgrade --dry-run", File: "cluster-upgrade", dir: commandFolder, root: "plannedChange"},
		{Command: "draconform doctor", File: "doctor", dir: "clusters/doctor", root: "Result", list: true},
		{Command: "draconform driver check", File: "driver-check", dir: commandFolder, root: "checkedFiles"},
		{Command: "draconform driver show", File: "driver-show", dir: commandFolder, root: "listedDriverFile", list: true},
		{Command: "draconform explain pod", File: "explain-pod", dir: "e2e/diagnose", root: "Pod"},
		{Command: "draconform images list", File: "images-list", dir: commandFolder, root: "listedImage", list: true},
		{Command: "draconform lint", File: "lint", dir: "allocator/lint", root: "Finding", list: true},
		{Command: "draconform lint --rules", File: "lint-rules", dir: "allocator/lint", root: "Rule", list: true},
		{Command: "draconform list", File: "list", dir: commandFolder, root: "listedSpec", list: true},
		{Command: "draconform pools", File: "pools", dir: commandFolder, root: "printedPools"},
		{Command: "draconform releases", File: "releases", dir: "clusters", root: "Release", list: true},
		{Command: "draconform report DIR DIR", File: "report-compare", dir: commandFolder, root: "differences"},
		{Command: "draconform report table", File: "report-table", dir: "e2e/report/table", root: "Table"},
		{Command: "draconform report untried", File: "report-untried", dir: commandFolder, root: "untriedSpecs"},
		{Command: "draconform report verify", File: "report-verify", dir: commandFolder, root: "verifiedReports"},
		{Command: "draconform requirements", File: "requirements", dir: "e2e/requirements", root: "Requirement", list: true},
		{Command: "draconform run --dry-run", File: "run", dir: commandFolder, root: "dryRunResult", list: true},
		{Command: "draconform skew --dry-run", File: "skew", dir: commandFolder, root: "listedJourney", list: true},
		{Command: "draconform version", File: "version", dir: commandFolder, root: "pinned"},
	}
	for i := range all {
		of := &all[i]
		of.File = outputFolder + "/" + of.File + ".json"
		of.Title = "What \"" + of.Command + "\" prints with -o json"
		of.nullable, of.open = true, true
	}
	return all
}
