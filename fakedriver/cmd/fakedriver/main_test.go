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

// run returns what the command prints on stdout.
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
			g.Expect(got).To(Equal(string(want)), "if the change is meant: go test ./fakedriver/cmd/fakedriver -update")
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
		{[]string{"render"}, `required flag(s) "node" not set`},
		{[]string{"render", "--node", "n", "--release", "1.33"}, "release 1.33 of Kubernetes does not serve resource.k8s.io/v1"},
		{[]string{"render", "--node", "n", "--model", "abacus"}, `unknown model "abacus"`},
		{[]string{"render", "--node", "n", "--gpus", "0"}, "--gpus must be at least 1"},
		{[]string{"render", "--node", "n", "--gpus", "2", "-f", "devices.yaml"}, "[file gpus]"},
		{[]string{"render", "--node", "n", "--model", "a100-80gb", "-f", "devices.yaml"}, "[file model]"},
		{[]string{"render", "--node", "n", "-f", "/does/not/exist"}, "read description: open /does/not/exist"},
		{[]string{"render", "--node", "n", "--driver", "my driver"}, `--driver "my driver" is not a DNS subdomain`},
		{[]string{"render", "--node", "N"}, `--node "N" is not a DNS subdomain`},
		{[]string{"render", "--node", "n", "--driver", strings.Repeat("d", 64)}, "--driver has 64 characters, at most 63 are allowed"},
		{[]string{"render", "--node", "n", "more"}, "unknown command"},
		{[]string{"plugin", "--node-name", ""}, "--node-name or the environment variable NODE_NAME"},
		{[]string{"plugin", "--node-name", "n", "--kubeconfig", "/does/not/exist"}, "load client configuration"},
	} {
		_, err := run(test.args...)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)), "%v", test.args)
	}
}
