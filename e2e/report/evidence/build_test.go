// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"io/fs"
	"testing/fstest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const (
	whyFailed = "while waiting until pod late is unschedulable: Timed out after 30.000s.\npod late should be unschedulable\nExpected success, but got an error:\n    the last line"
	whyAbsent = "feature consumable-capacity is absent: dropped"
)

// failedRun returns a run with every outcome and every level.
func failedRun() report.Report {
	specs := []report.Spec{
		{
			ID: "fits", Level: "core", Outcome: suite.Passed, After: ptr.To(30.0), Seconds: 10.5,
			Steps: []report.Step{{After: 0, Text: "creating claim and pod one"}, {After: 2.5, Text: "waiting until pod one runs"}},
		},
		{ID: "no-room", Level: "core", Outcome: suite.Failed, Reason: whyFailed, After: ptr.To(40.5), Seconds: 79.5, Steps: []report.Step{{Text: "waiting until pod late is unschedulable"}}},
		{ID: "shares", Level: "extended", Outcome: suite.NotSupported, Reason: whyAbsent},
		{ID: "large", Level: "core", Outcome: suite.NotApplicable, Reason: "needs 9 worker nodes, the cluster has 2"},
		{ID: "left-out", Level: "extended", Outcome: suite.Skipped, Reason: `excluded by the selection --focus "s$"`},
		{ID: "novel", Level: "provisional", Outcome: suite.Failed, Reason: "it is not so"},
	}
	for i := range specs {
		s := &specs[i]
		s.Description, s.Profile, s.Component = "The behaviour of "+s.ID+".", "partitioning", env.Scheduler
		s.Features = []features.Feature{features.Core}
	}
	return report.Report{
		TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.Kind},
		Run: report.Run{
			ID: "20260301-120000-0a1f", Started: metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)),
			Duration: metav1.Duration{Duration: 150 * time.Second}, Version: "v0.4.0", Selection: `--focus "s$"`,
			Flags: []string{"--release", "1.36", "--gates", "alpha", "--scheduler", "draconform", "--workers", "2", "--focus", "s$"},
		},
		Cluster: report.Cluster{
			Provider: "kind", Name: "draconform-0a1f", Workers: 2, GateSet: "alpha", Scheduler: "draconform",
			Gates: map[string]bool{"DRAAdminAccess": true, "DRAPartitionableDevices": true, "DRADeviceTaints": false},
			Components: []report.Component{
				{Name: "kube-apiserver", Version: "v1.36.3", Count: 1},
				{Name: "kube-scheduler", Version: "v1.37.1", Image: "draconform.dev/scheduler:v1.37.1", Emulates: "1.36", Count: 1},
				{Name: "kubelet", Version: "v1.35.0", Count: 1}, {Name: "kubelet", Version: "v1.36.3", Count: 2},
			},
		},
		Subject:  report.Subject{Drivers: []string{"gpu.example.com"}, Installed: true},
		Features: features.Set{features.Core: {Present: true, Source: "served"}, features.SharedDevices: {Source: "dropped"}},
		Specs:    specs,
		Verdict: report.Verdict{
			Result: report.Failed, Rule: report.Rule,
			Counts: map[suite.Outcome]int{suite.Passed: 1, suite.Failed: 1, suite.Skipped: 1, suite.NotSupported: 1, suite.NotApplicable: 1},
			Profiles: []report.Profile{
				{Name: "partitioning", Claimed: true, Result: report.NotConformant, Reason: "1 of 5 specs failed", Counts: map[suite.Outcome]int{suite.Passed: 1, suite.Failed: 1},
					Core: &report.Core{Specs: 3, Passed: 1, Missing: []string{"no-room", "large"}}, Extended: &report.Extended{Specs: 2, Executable: 1, Missing: []string{"shares", "left-out"}}},
				{Name: "capacity", Result: report.Conformant, Counts: map[suite.Outcome]int{suite.Passed: 7}},
			},
			Provisional: &report.Provisional{Failed: []string{"novel"}},
		},
	}
}

// left is the directory of the failed run. A GPU of node-1 has four memory
// slices, of which a claim of the run holds the first two.
var left fs.FS = fstest.MapFS{
	"report.yaml": {}, "ginkgo_01.log": {}, "kubeconfig": {}, "nodes/node-1/kubelet.log": {},
	"artifacts/no-room/odd #1?%.log": {Data: []byte("log")},
	"artifacts/no-room/claims.yaml":  {Data: []byte(claims)},
	"artifacts/no-room/slices.yaml":  {Data: []byte(offered)},
}

const claims = `apiVersion: resource.k8s.io/v1
kind: ResourceClaimList
items:
- metadata: {name: full, namespace: spec-1, labels: {draconform.dev/run: 20260301-120000-0a1f}}
  spec: &spec {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
  status: {allocation: {devices: {results: [
    {request: gpu, driver: gpu.example.com, pool: node-1, device: half-0}, {request: gpu, driver: gpu.example.com, pool: gone, device: half-0}]}}}
- metadata: {name: other, namespace: elsewhere}
  spec: *spec
  status: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: node-2, device: half-0}]}}}
`

const offered = `apiVersion: resource.k8s.io/v1
kind: ResourceSliceList
items:
- metadata: {name: counters}
  spec: &counters
    driver: gpu.example.com
    nodeName: node-1
    pool: &pool {name: node-1, generation: 1, resourceSliceCount: 2}
    sharedCounters:
    - {name: gpu, counters: {memory-0: {value: "1"}, memory-1: {value: "1"}, memory-2: {value: "1"}, memory-3: {value: "1"}}}
- metadata: {name: devices}
  spec:
    driver: gpu.example.com
    nodeName: node-1
    pool: *pool
    devices:
    - {name: half-0, consumesCounters: [{counterSet: gpu, counters: {memory-0: {value: "1"}, memory-1: {value: "1"}}}]}
    - {name: half-1, consumesCounters: [{counterSet: gpu, counters: {memory-2: {value: "1"}, memory-3: {value: "1"}}}]}
- metadata: {name: other-counters}
  spec: {driver: gpu.example.com, nodeName: node-2, pool: &other {name: node-2, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: gpu, counters: {memory-0: {value: "1"}}}]}
- metadata: {name: other-devices}
  spec: {driver: gpu.example.com, nodeName: node-2, pool: *other, devices: [{name: half-0, consumesCounters: [{counterSet: gpu, counters: {memory-0: {value: "1"}}}]}]}
`

func failed() evidence.Evidence {
	return evidence.Evidence{Report: failedRun(), Files: left, Requirements: []evidence.RequirementOutcome{
		{ID: "4815-counters-per-pool", Statement: "Counters are the pool's.", Outcome: "failed", Reason: "failed: no-room", Specs: []string{"no-room", "fits"}},
		{ID: "4815-shares", Statement: "Shares fit.", Outcome: "not-supported", Reason: "the feature gate is disabled", Specs: []string{"shares"}},
		{ID: "4815-names", Statement: "Names are unique.", Outcome: "unproved"},
	}}
}
