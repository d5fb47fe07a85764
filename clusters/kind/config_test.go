// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/internal/fake"
)

var update = flag.Bool("update", false, "write testdata from what the code returns")

// configCase is one file in testdata.
type configCase struct {
	release string
	gates   string
	change  func(*Options)
	host    host
}

func configCases() map[string]configCase {
	cases := map[string]configCase{
		"1.34-old-host": {release: "1.34", host: host{cgroupV1: true, withheldResources: true}},
		"1.35-old-host": {release: "1.35", host: host{cgroupV1: true, withheldResources: true}},
		"one-worker":    {release: "1.37", change: func(o *Options) { o.Workers = 1 }},
		"audited":       {release: "1.37", change: func(o *Options) { o.AuditDir = "/home/user/audit" }},
		// The alpha gates also require v1alpha3.
		"1.34-alpha-beta-apis": {release: "1.34", gates: "alpha", change: func(o *Options) { o.Serve = Servable }},
		"quiet-scheduler": {release: "1.37", change: func(o *Options) {
			o.Name, o.SchedulerVerbosity = "another-name", -1
		}},
	}
	for _, r := range clusters.All() {
		for _, set := range []string{"default", "alpha", "off"} {
			cases[r.Minor+"-"+set] = configCase{release: r.Minor, gates: set}
		}
	}
	return cases
}

func (c configCase) render(t *testing.T) []byte {
	t.Helper()
	g := NewWithT(t)
	release, err := clusters.FindRelease(c.release)
	g.Expect(err).NotTo(HaveOccurred())
	set, err := gates.Parse(c.gates, release)
	g.Expect(err).NotTo(HaveOccurred())
	o := Options{Run: "run-1", Release: release, Gates: set}
	if c.change != nil {
		c.change(&o)
	}
	g.Expect(o.setDefaults()).To(Succeed())
	raw, err := config(o, c.host)
	g.Expect(err).NotTo(HaveOccurred())
	return raw
}

// TestConfig compares configurations to testdata. Review the files that -update writes: clusters are created from them.
func TestConfig(t *testing.T) {
	files := map[string]bool{}
	for name, c := range configCases() {
		files[name+".yaml"] = true
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got, path := c.render(t), filepath.Join("testdata", name+".yaml")
			if *update {
				g.Expect(os.WriteFile(path, got, 0o644)).To(Succeed())
			}
			want, err := os.ReadFile(path)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(got)).To(Equal(string(want)), "run the test with -update if this is intended")
		})
	}
	entries, err := os.ReadDir("testdata")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, entry := range entries {
		NewWithT(t).Expect(files).To(HaveKey(entry.Name()), "a file that no test reads")
	}
}

// TestKindAcceptsConfig lets kind read and validate each configuration. kind does so before it looks up its network,
// which the fake engine does not have.
func TestKindAcceptsConfig(t *testing.T) {
	fake.NewCommands(t).Command("docker", engineInfo,
		fake.Answer{Args: "ps"}, fake.Answer{Args: "inspect --type=image"},
		fake.Answer{Args: "network ls", Exit: 1, Stderr: "as far as it goes\n"})
	for name, c := range configCases() {
		t.Run(name, func(t *testing.T) {
			err := kindcluster.NewProvider(kindcluster.ProviderWithDocker()).Create("c", kindcluster.CreateWithRawConfig(c.render(t)))
			NewWithT(t).Expect(err).To(MatchError(HavePrefix("failed to ensure docker network")))
		})
	}
}
