// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/internal/rules"
)

// dgx is the example of the first draft of KEP-4815: two GPUs, 52 devices.
const dgx = "../../describe/testdata/dgx-a100.yaml"

func decode(g *WithT, documents string) []resourceapi.ResourceSlice {
	var out []resourceapi.ResourceSlice
	for document := range strings.SplitSeq(strings.TrimPrefix(documents, "---\n"), "\n---\n") {
		var slice resourceapi.ResourceSlice
		g.Expect(yaml.UnmarshalStrict([]byte(document), &slice)).To(Succeed())
		out = append(out, slice)
	}
	return out
}

func TestRenderADescription(t *testing.T) {
	g := NewWithT(t)
	out, err := run("render", "-f", dgx, "--driver", "gpu.example.com", "--node", "dgx-1")
	g.Expect(err).NotTo(HaveOccurred())
	slices := decode(g, out)
	g.Expect(slices).To(HaveLen(2))
	for _, slice := range slices {
		g.Expect(slice.Kind).To(Equal("ResourceSlice"))
		g.Expect(slice.Spec.Driver).To(Equal("gpu.example.com"))
		g.Expect(*slice.Spec.NodeName).To(Equal("dgx-1"))
		g.Expect(slice.Spec.Pool).To(Equal(resourceapi.ResourcePool{Name: "dgx-1", Generation: 1, ResourceSliceCount: 2}))
	}
	g.Expect(slices[0].Spec.SharedCounters).To(HaveLen(2))
	g.Expect(slices[0].Spec.Devices).To(BeEmpty())
	g.Expect(slices[1].Spec.SharedCounters).To(BeEmpty())
	g.Expect(slices[1].Spec.Devices).To(HaveLen(52))
}

func TestRenderADescriptionForKubernetes134(t *testing.T) {
	g := NewWithT(t)
	out, err := run("render", "-f", dgx, "--node", "dgx-1", "--release", "1.34")
	g.Expect(err).NotTo(HaveOccurred())
	slices := decode(g, out)
	g.Expect(slices).To(HaveLen(2))
	for _, slice := range slices {
		g.Expect(slice.Spec.SharedCounters).To(HaveLen(1))
		g.Expect(slice.Spec.Devices).To(HaveLen(26))
		for _, device := range slice.Spec.Devices {
			g.Expect(device.ConsumesCounters[0].CounterSet).To(Equal(slice.Spec.SharedCounters[0].Name))
		}
	}
}

// Guards that rendered slices contain the affinity declarations of their
// devices, as those in the API server do.
func TestRenderSharedDevices(t *testing.T) {
	g := NewWithT(t)
	out, err := run("render", "--model", "nic-affinity", "--count", "2", "--driver", "nic.draconform.dev", "--node", "n")
	g.Expect(err).NotTo(HaveOccurred())
	slices := decode(g, out)
	g.Expect(slices).To(HaveLen(1))
	declared, err := rules.ParseAffinity(slices[0].Annotations["draconform.dev/sharing-affinity"])
	g.Expect(err).NotTo(HaveOccurred())
	keys := affinity.Declaration{AttributeKeys: []string{"nic.draconform.dev/subnet", "nic.draconform.dev/pkey"}}
	g.Expect(declared).To(Equal(map[string]affinity.Declaration{"nic-0": keys, "nic-1": keys}))

	without, err := run("render", "--model", "nic", "--count", "2", "--driver", "nic.draconform.dev", "--node", "n")
	g.Expect(err).NotTo(HaveOccurred())
	plain := decode(g, without)
	g.Expect(plain[0].Annotations).To(BeEmpty())
	g.Expect(plain[0].Spec).To(Equal(slices[0].Spec))
}

// The golden files are those of package topology. Its tests check them.
func TestRenderATopology(t *testing.T) {
	for _, name := range []string{"4x4", "8x8"} {
		for _, release := range []string{"1.34", "1.37"} {
			g := NewWithT(t)
			want, err := os.ReadFile(filepath.Join("../../topology/testdata", name+"-"+release+".yaml"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(run("render", "--topology", name, "--release", release)).To(Equal(string(want)))
			file := filepath.Join("../../topology/topologies", name+".yaml")
			g.Expect(run("render", "--topology", file, "--release", release, "--driver", "tpu.draconform.dev")).To(Equal(string(want)), "from a file")
		}
	}
}

func TestCompletions(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"render", "--model", ""}, model.Names()},
		{[]string{"plugin", "--model", ""}, model.Names()},
		{[]string{"render", "--topology", ""}, []string{"4x4", "8x8"}},
		{[]string{"plugin", "--topology", ""}, []string{"4x4", "8x8"}},
		{[]string{"controller", "--topology", ""}, []string{"4x4", "8x8"}},
		{[]string{"render", "--node", "n", "--release", ""}, []string{"1.34", "1.35", "1.36", "1.37"}},
	} {
		g := NewWithT(t)
		out, err := run(append([]string{"__complete"}, test.args...)...)
		g.Expect(err).NotTo(HaveOccurred())
		lines := strings.Split(strings.TrimSpace(out), "\n")
		g.Expect(lines[len(lines)-1]).To(HavePrefix(":"), "the directive comes last")
		g.Expect(lines[:len(lines)-1]).To(Equal(test.want), "%v", test.args)
	}
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, description string) string {
		path := filepath.Join(dir, name)
		NewWithT(t).Expect(os.WriteFile(path, []byte(description), 0o600)).To(Succeed())
		return path
	}
	good := write("good.yaml", "devices: [{name: d, basic: {}}]\n")
	wrong := write("wrong.yaml", "devices:\n- name: d\n  basic: {}\n  colour: green\n")
	// 86 devices with 12 counters each exceed a limit that only Kubernetes 1.34
	// has.
	amounts := "{" + strings.Repeat("c%: {quantity: 1}, ", 12) + "}"
	for strings.Contains(amounts, "%") {
		amounts = strings.Replace(amounts, "%", strconv.Itoa(strings.Count(amounts, "%")), 1)
	}
	devices := "devices:\n- {name: gpu, basic: {capacity: &all " + amounts + "}}\n"
	for i := range 85 {
		devices += "- {name: part-" + strconv.Itoa(i) + ", composite: {capacity: *all, consumesCapacityFrom: [{name: gpu}]}}\n"
	}
	crowded := write("crowded.yaml", devices)
	for _, test := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"render", "-f", good, "--node", "n"}, 0, ""},
		{[]string{"render", "-f", wrong, "--node", "n"}, 1, "fakedriver: " + wrong + `: line 4: unknown field "colour" of devices[0], use one of basic, composite, name` + "\n"},
		{[]string{"render", "-f", crowded, "--node", "n"}, 0, ""},
		{
			[]string{"render", "-f", crowded, "--node", "n", "--release", "1.34"}, 1,
			`fakedriver: publish devices for Kubernetes 1.34: counter set "gpu-counter-set": has 1032 counters that its devices consume, Kubernetes 1.34 allows at most 1024` + "\n",
		},
		{[]string{"render"}, 1, "fakedriver: at least one of the flags in the group [node topology] is required\n"},
	} {
		var stdout, stderr bytes.Buffer
		root := command()
		root.SetArgs(test.args)
		root.SetOut(&stdout)
		g := NewWithT(t)
		g.Expect(execute(t.Context(), root, &stderr)).To(Equal(test.code), "%v: %s", test.args, stderr.String())
		g.Expect(stderr.String()).To(Equal(test.stderr))
		if test.code != 0 {
			g.Expect(stdout.String()).To(BeEmpty(), "incomplete output is not printed")
		}
	}
}
