// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/topology"
)

// A pair has two hosts and a quad has four. A grid of four hosts has two pairs
// and one quad.
func TestFakeTPUSelectors(t *testing.T) {
	g := NewWithT(t)
	grid, err := topology.Load("4x4")
	g.Expect(err).NotTo(HaveOccurred())
	tpu := Fakes{TPU: "tpu.example.com"}.Subject().MultiHost
	hosts := func(d Device) []int64 {
		compiled := cel.GetCompiler(cel.Features{}).CompileCELExpression(string(d.Selector), cel.Options{})
		if compiled.Error != nil { // of a pointer type, whose nil is not a nil error
			t.Fatalf("selector %s: %v", d.Selector, compiled.Error)
		}
		var accepted []int64
		for _, device := range grid.Pool(grid.Nodes()).Devices {
			ok, _, err := compiled.DeviceMatches(t.Context(), cel.Device{Driver: d.Driver, Attributes: device.Attributes, Capacity: device.Capacity})
			g.Expect(err).NotTo(HaveOccurred())
			if ok {
				accepted = append(accepted, *device.Attributes[topology.AttributeHosts].IntValue)
			}
		}
		return accepted
	}
	g.Expect(hosts(tpu.Pair)).To(Equal([]int64{2, 2}))
	g.Expect(hosts(tpu.Quad)).To(Equal([]int64{4}))
}

func TestPart(t *testing.T) {
	g := NewWithT(t)
	part := Fakes{TPU: "tpu.example.com"}.Subject().MultiHost.Part
	tpu := device("tpu.example.com", "tpu-2x4-0-0")
	tpu.Part = &devenv.Part{Shape: "2x4", Hosts: []string{"node-1", "node-2"}, Host: 1, Chips: []string{"0,2", "0,3"}}
	g.Expect(part(printed(t, tpu))).To(Equal(Part{Nodes: []string{"node-1", "node-2"}, Node: "node-2", Pieces: []string{"0,2", "0,3"}}))
	g.Expect(part(printed(t, tpu, device("mig.example.com", "gpu-0")))).To(HaveField("Node", "node-2"))

	other := tpu
	other.Device = "tpu-2x4-2-0"
	_, err := part(printed(t, tpu, other))
	g.Expect(err).To(MatchError(ContainSubstring("a part of one device, it reports 2 devices")))
	_, err = part(printed(t, device("tpu.example.com", "tpu-2x4-0-0")))
	g.Expect(err).To(MatchError(ContainSubstring("a part of one device, it reports 1 devices")))
	_, err = part(Container{})
	g.Expect(err).To(MatchError(ContainSubstring("the container has not reported its devices yet")))
	tpu.Part.Host = 2
	_, err = part(printed(t, tpu))
	g.Expect(err).To(MatchError(ContainSubstring("the part of host 2, of [node-1 node-2]")))
}
