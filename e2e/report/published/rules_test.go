// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestVersionsAreFixed(t *testing.T) {
	for _, version := range []string{
		"v1.2.3", "1.2.3", "v0.4", "25.3.2", "v1.2.3-rc.1", "v1.2.3+build.5", "v1.2.3-5-gabcdef0", "v0.0.0-20260301120000-abcdefabcdef",
		"sha256:" + strings.Repeat("0a", 32), strings.Repeat("0a", 20),
	} {
		NewWithT(t).Expect(notFixed(version)).To(BeEmpty(), version)
	}
	for version, want := range map[string]string{
		"main": "is a branch", "Master": "is a branch", "latest": "is a branch or a tag that changes", "dev": "is a branch", "HEAD": "is a branch",
		"v1.2.3-dev": `ends with "dev"`, "v1.2.3-dev.5": `ends with "dev"`, "v1.2.3+dirty": `ends with "dirty"`, "1.2-SNAPSHOT": `ends with "SNAPSHOT"`,
		"release-1.2": "is neither a tag", "v1": "is neither a tag", "abcdef0": "is neither a tag", "": "is neither a tag", "sha256:0": "is neither a tag", "v1.2.3 (own)": "is neither a tag",
		"v1.2.3\nv": "is neither a tag",
	} {
		NewWithT(t).Expect(notFixed(version)).To(ContainSubstring(want), version)
	}
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Example, Inc.": "example-inc", "gpu_driver": "gpu_driver", "..": "", "../../etc": "etc", "v1.2.3": "v1.2.3", "sha256:0a": "sha256-0a", "Größe": "gr-e", "日本": "", "a  b": "a-b",
	} {
		NewWithT(t).Expect(slug(text)).To(Equal(want), text)
	}
}

// Commands are found in code blocks of the section, however they are written.
func TestCommandsOf(t *testing.T) {
	run := []string{"driver=gpu.yaml", "provider=existing", "run"}
	for name, test := range map[string]struct {
		markdown string
		want     [][]string
		found    bool
	}{
		"indented": {"# Reproduce\n\n    draconform run --provider existing --driver gpu.yaml\n", [][]string{run}, true},
		"fenced, with a prompt and a continuation": {"Reproduce\n---\n```console\n$ draconform run --driver=gpu.yaml \\\n    --provider 'existing'\n```\n", [][]string{run}, true},
		"in a list":           {"### REPRODUCE\n1. Run:\n\n   ```\n   go run example.com/draconform@v0.4.0 run --provider existing --driver \"gpu.yaml\" # now\n   ```\n", [][]string{run}, true},
		"in a deeper section": {"# Reproduce\n## Run\n```\n./bin/draconform run --provider existing --driver ./a/gpu.yaml && echo done\n```\n", [][]string{run}, true},
		"two":                 {"# Reproduce\n```\ndraconform run --driver gpu.yaml --provider existing\ndraconform skew\n```\n", [][]string{run, {"skew"}}, true},
		"switches":            {"# Reproduce\n```\ndraconform run --simulate-nodes --fail-fast=false --keep\n```\n", [][]string{{"fail-fast=false", "run", "simulate-nodes=true"}}, true},
		"in another section":  {"# Reproduce\n# Run\n```\ndraconform run\n```\n", nil, true},
		"in a fence only":     {"```\n# Reproduce\n```\n\n    draconform run\n", nil, false},
		"in a comment":        {"# Reproduce\n```\n# draconform run\n```\n", nil, true},
		"no shell":            {"# Reproduce\n```\ndraconform run --context <mine>\n```\n", nil, true},
		"another command":     {"# Reproduce\n```\ndraconform list\nrun draconform\n```\n", nil, true},
		"nothing":             {"", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			runs, found := commandsOf([]byte(test.markdown))
			g.Expect(runs).To(Equal(test.want))
			g.Expect(found).To(Equal(test.found))
		})
	}
}
