// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/report"
)

// gpus are the slices of three pools of a driver, and of one of another.
const gpus = `apiVersion: resource.k8s.io/v1
kind: ResourceSliceList
items:
- {metadata: {name: a}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu}]}}
- {metadata: {name: b}, spec: {driver: gpu.example.com, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu}]}}
- {metadata: {name: c}, spec: {driver: gpu.example.com, nodeName: c, pool: {name: c, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu}]}}
- {metadata: {name: nics}, spec: {driver: nic.example.com, nodeName: a, pool: {name: nics, generation: 1, resourceSliceCount: 1}, devices: [{name: nic}]}}
`

// users are claims of a spec, of which one waits for a device, and a claim of
// another spec of the run.
const users = `apiVersion: resource.k8s.io/v1
kind: ResourceClaimList
items:
- metadata: {name: has, namespace: mine, labels: &run {draconform.dev/run: 20260301-120000-0a1f}}
  status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: c, device: gpu}]}}}
- metadata: {name: waits, namespace: mine, labels: *run}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
- metadata: {name: other, namespace: others, labels: *run}
  status: {allocation: {devices: {results: [
    {request: r, driver: nic.example.com, pool: nics, device: nic}, {request: r, driver: gpu.example.com, pool: b, device: gpu}]}}}
`

const classes = `apiVersion: resource.k8s.io/v1
kind: DeviceClassList
items:
- {metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}}
`

// The pools of a spec are those that its claims use, then those that they
// request, in use by others or free. Specs that run in parallel use the others.
func TestPageDrawsThePoolsThatMatter(t *testing.T) {
	for name, test := range map[string]struct {
		failure *report.Failure
		classes string
		want    []string
	}{
		"of a spec": {&report.Failure{Namespace: "mine"}, classes, []string{
			"Pool gpu.example.com/c when the spec failed", "Pool gpu.example.com/b when the spec failed", "Pool gpu.example.com/a when the spec failed"}},
		"of a spec whose classes are not known": {&report.Failure{Namespace: "mine"}, "", []string{"Pool gpu.example.com/c when the spec failed"}},
		"of a spec whose namespace is not known": {nil, "", []string{
			"Pool gpu.example.com/b when the spec failed", "Pool gpu.example.com/c when the spec failed", "Pool nic.example.com/nics when the spec failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := failed()
			e.Report.Specs[1].Failure = test.failure
			files := left
			for file, content := range map[string]string{"slices": gpus, "claims": users, "classes": test.classes} {
				if content != "" {
					files = with(t, files, "artifacts/no-room/"+file+".yaml", content)
				}
			}
			e.Files = files
			noRoom := rendered(t, e).id(t, "spec-no-room")
			NewWithT(t).Expect(texts(noRoom.all(atom.Figcaption))).To(Equal(test.want), noRoom.text())
		})
	}
}

func TestPageDrawsPools(t *testing.T) {
	g := NewWithT(t)
	figures := rendered(t, failed()).id(t, "spec-no-room").all(atom.Figure)
	g.Expect(figures).To(HaveLen(2), "not the pool of another claim")
	g.Expect(figures[0].text()).To(HavePrefix("Pool gpu.example.com/gone "))
	g.Expect(figures[0].text()).To(HaveSuffix("No slice offers this pool, but a claim is allocated devices of it."))
	g.Expect(figures[1].text()).To(HavePrefix("Pool gpu.example.com/node-1 "))
	g.Expect(texts(figures[1].one(t, atom.Tbody).all(atom.Tr))).To(Equal([]string{"gpu memory-[0-3] 2 of 4 by a"}))
	g.Expect(texts(figures[1].one(t, atom.Ul).all(atom.Li))).To(Equal([]string{"a half-0 (spec-1/full)"}))
	g.Expect(figures[1].one(t, atom.Pre).text()).To(Equal("pool gpu.example.com/node-1 gpu memory-[0-3]: aa.. a = half-0 (spec-1/full)"))
	var drawn []string
	for _, cell := range figures[1].one(t, atom.Td).all(atom.Span)[1:5] {
		drawn = append(drawn, cell.attr("class")+cell.raw())
	}
	g.Expect(drawn).To(Equal([]string{"u1a ", "u1a ", " ", " "}))
}

// A cell that is used several times names all of its users.
func TestPageDrawsWhatIsUsedTwice(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	e.Files = with(t, left, "artifacts/no-room/slices.yaml", strings.Replace(offered, "memory-2: {value: \"1\"}, memory-3: {value: \"1\"}}}]}", "memory-1: {value: \"1\"}}}]}", 1))
	e.Files = with(t, e.Files, "artifacts/no-room/claims.yaml", strings.Replace(claims, "pool: gone, device: half-0", "pool: node-1, device: half-1", 1))
	figure := rendered(t, e).id(t, "spec-no-room").one(t, atom.Figure)
	g.Expect(figure.one(t, atom.Tbody).text()).To(Equal("gpu memory-[0-3] 2 of 4 by a, b more than exists"))
	cell := figure.one(t, atom.Td).all(atom.Span)[2]
	g.Expect(cell.attr("class") + cell.raw()).To(Equal("overab "))
}

// A share that is too narrow for its letter has none in the bar. The words next to the bar
// and the legend have it.
func TestPageDrawsSmallShares(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	const card = `apiVersion: resource.k8s.io/v1
kind: ResourceSliceList
items:
- {metadata: {name: card}, spec: {driver: nic.example.com, nodeName: node-1, pool: {name: node-1, generation: 1, resourceSliceCount: 1},
    devices: [{name: card, allowMultipleAllocations: true, capacity: {bandwidth: {value: 100G}}}]}}
`
	const shares = `apiVersion: resource.k8s.io/v1
kind: ResourceClaimList
items:
- metadata: {name: two, namespace: spec-1, labels: {draconform.dev/run: 20260301-120000-0a1f}}
  status: {allocation: {devices: {results: [
    {request: r, driver: nic.example.com, pool: node-1, device: card, shareID: 4bb7f2cf-6d4c-4ef5-bb0d-66a3a9a2e0aa, consumedCapacity: {bandwidth: 50G}},
    {request: s, driver: nic.example.com, pool: node-1, device: card, shareID: 4bb7f2cf-6d4c-4ef5-bb0d-66a3a9a2e0ab, consumedCapacity: {bandwidth: 2G}}]}}}
`
	e.Files = with(t, with(t, left, "artifacts/no-room/slices.yaml", card), "artifacts/no-room/claims.yaml", shares)
	figure := rendered(t, e).id(t, "spec-no-room").one(t, atom.Figure)
	row := figure.one(t, atom.Tbody).one(t, atom.Tr)
	var drawn []string
	for _, part := range row.all(atom.Span)[1:3] {
		drawn = append(drawn, part.attr("style")+" "+strings.TrimSpace(part.raw()))
	}
	g.Expect(drawn).To(Equal([]string{"width: 50% a", "width: 2% "}))
	g.Expect(row.text()).To(Equal("card bandwidth 52G/100G by a, b"))
	g.Expect(texts(figure.one(t, atom.Ul).all(atom.Li))).To(Equal([]string{"a card (spec-1/two)", "b card (spec-1/two)"}))
}

// Artifacts of a spec may be truncated. The page is written anyway.
func TestPageWithInvalidArtifacts(t *testing.T) {
	for name, content := range map[string]string{"cut": claims[:len(claims)/2], "foreign": "kind: Claims", "no YAML": "[", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e := failed()
			e.Files = with(t, left, "artifacts/no-room/claims.yaml", content)
			noRoom := rendered(t, e).id(t, "spec-no-room")
			g.Expect(noRoom.all(atom.Figure)).To(BeEmpty())
			g.Expect(noRoom.all(atom.Pre)[0].raw()).To(Equal(whyFailed))
			if name != "empty" && name != "foreign" {
				g.Expect(noRoom.text()).To(ContainSubstring("The pools cannot be drawn: read the artifacts of spec no-room: "))
			}
		})
	}
}
