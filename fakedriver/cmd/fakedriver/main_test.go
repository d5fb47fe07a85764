// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run returns what the command prints to stdout.
func run(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := command()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	err := cmd.Execute()
	return out.String(), err
}

func TestRender(t *testing.T) {
	for _, release := range []string{"1.34", "1.37"} {
		t.Run(release, func(t *testing.T) {
			g := NewWithT(t)
			got, err := run("render", "--model", "a100-40gb", "--node", "node-1", "--release", release)
			g.Expect(err).NotTo(HaveOccurred())
			golden := filepath.Join("testdata", "a100-40gb-"+release+".yaml")
			if *update {
				g.Expect(os.WriteFile(golden, []byte(got), 0o644)).To(Succeed())
			}
			want, err := os.ReadFile(golden)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(string(want)), "if the change is intended: go test ./fakedriver/cmd/fakedriver -update")
		})
	}
}

func TestRenderedForTheLatestRelease(t *testing.T) {
	g := NewWithT(t)
	latest, err := run("render", "--node", "node-1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run("render", "--node", "node-1", "--release", "1.37")).To(Equal(latest))
}

func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		args    []string
		message string
	}{
		{[]string{"render"}, "at least one of the flags in the group [node topology] is required"},
		{[]string{"render", "--node", ""}, `--node "" is not a DNS subdomain`},
		{[]string{"render", "--node", "n", "--topology", "4x4"}, "[node topology] were all set"},
		{[]string{"render", "--topology", "4x4", "--model", "nic"}, "[model topology] were all set"},
		{[]string{"render", "--topology", "4x4", "--count", "2"}, "[count topology] were all set"},
		{[]string{"render", "--topology", "4x4", "-f", "devices.yaml"}, "[file topology] were all set"},
		{[]string{"render", "--topology", ""}, `--node "" is not a DNS subdomain`},
		{[]string{"render", "--topology", "9x9"}, `unknown topology "9x9", use one of 4x4, 8x8`},
		{[]string{"render", "--topology", "missing.yaml"}, "read topology: open missing.yaml"},
		{[]string{"render", "--topology", "8x8", "--release", "1.33"}, "release 1.33 of Kubernetes does not serve resource.k8s.io/v1"},
		{[]string{"render", "--node", "n", "--release", "1.33"}, "release 1.33 of Kubernetes does not serve resource.k8s.io/v1"},
		{[]string{"render", "--node", "n", "--model", "abacus"}, `unknown model "abacus"`},
		{[]string{"render", "--node", "n", "--count", "0"}, "--count must be at least 1"},
		{[]string{"render", "--node", "n", "--count", "2", "-f", "devices.yaml"}, "[file count]"},
		{[]string{"render", "--node", "n", "--model", "a100-80gb", "-f", "devices.yaml"}, "[file model]"},
		{[]string{"render", "--node", "n", "-f", "/does/not/exist"}, "read description: open /does/not/exist"},
		{[]string{"render", "--node", "n", "--driver", "my driver"}, `--driver "my driver" is not a DNS subdomain`},
		{[]string{"render", "--node", "N"}, `--node "N" is not a DNS subdomain`},
		{[]string{"render", "--node", "n", "--driver", strings.Repeat("d", 64)}, "--driver has 64 characters, at most 63 are allowed"},
		{[]string{"render", "--node", "n", "more"}, "unknown command"},
		{[]string{"plugin", "--node-name", ""}, "--node-name or the environment variable NODE_NAME"},
		{[]string{"plugin", "--node-name", "n", "--kubeconfig", "/does/not/exist"}, "load client configuration"},
		{[]string{"plugin", "--node-name", "n", "--topology", "8x8", "--assign-hosts-by-name", "--kubeconfig", "/does/not/exist"}, "load client configuration"},
		{[]string{"plugin", "--node-name", "n", "--topology", "9x9"}, `unknown topology "9x9"`},
		{[]string{"plugin", "--node-name", "n", "--topology", "4x4", "--model", "nic"}, "[model topology] were all set"},
		{[]string{"plugin", "--node-name", "n", "--assign-hosts-by-name"}, "--assign-hosts-by-name is for the hosts of a topology, --topology is not set"},
		{[]string{"plugin", "--node-name", "n", "--count", "0"}, "--count must be at least 1"},
	} {
		_, err := run(test.args...)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)), "%v", test.args)
	}
}
