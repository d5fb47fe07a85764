// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/workload/report"
)

// worker is a driver whose containers see their part in three variables and in
// device nodes.
const worker = `roles:
  multiHost:
    pair: {class: pair}
    part:
      sources:
      - environment: {name: WORKER_ID, value: '(?P<index>\d+)'}
      - environment: {name: WORKER_NODES, value: '(?P<nodes>.+)'}
      - deviceNodes: {path: '/dev/accel(?P<pieces>\d+)'}
      localPieces: true
`

func environment(id string) report.Report {
	return report.Report{
		Env:         map[string]string{"WORKER_ID": id, "WORKER_NODES": "node-a,node-b", "GPU": "node-a/gpu-0"},
		DeviceNodes: []string{"/dev/accel0", "/dev/accel1", "/dev/null"},
	}
}

func TestPart(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, worker)
	g.Expect(d.Part(environment("1"), offered)).To(Equal(driverfile.Part{
		Nodes: []string{"node-a", "node-b"}, Node: "node-b", Pieces: []string{"node-b/0", "node-b/1"},
	}))
	_, err := d.Part(environment("2"), offered)
	g.Expect(err).To(MatchError("the container has the part of host 2, of [node-a node-b]"))
	_, err = d.Part(report.Report{Env: map[string]string{"WORKER_ID": "0"}}, offered)
	g.Expect(err).To(MatchError(ContainSubstring("the container should have a part of one device, it reports 0 devices and map[index:0]")))
}

// The name of the node replaces the index.
func TestPartWithNode(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, `roles:
  multiHost:
    pair: {class: pair}
    part:
      sources:
      - environment: {name: 'PART_.+', value: '(?P<node>[^:]+) of (?P<nodes>[^:]+): (?P<pieces>.+)'}
      separator: " "
`)
	g.Expect(d.Part(report.Report{Env: map[string]string{"PART_0": "b of a b: x y", "PART_IS": "described elsewhere"}}, offered)).To(Equal(driverfile.Part{
		Nodes: []string{"a", "b"}, Node: "b", Pieces: []string{"x", "y"},
	}))
	_, err := d.Part(report.Report{Env: map[string]string{"PART_0": "b of a b: x y", "PART_1": "a of a b: z"}}, offered)
	g.Expect(err).To(MatchError(`the container should have a part of one device, it reports two values for node: "b" and "a"`))
}

// A container with several devices has no part of one device.
func TestPartOfOneDevice(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, worker+"containers: [{environment: {name: 'GPU.*', value: '(?P<pool>.+)/(?P<device>.+)'}}]\n")
	g.Expect(d.Part(environment("0"), offered)).To(HaveField("Node", "node-a"))
	two := environment("0")
	two.Env["GPU_1"] = "node-a/gpu-1"
	_, err := d.Part(two, offered)
	g.Expect(err).To(MatchError(HavePrefix("the container should have a part of one device, it reports 2 devices: ")))
}
