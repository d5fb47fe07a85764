// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/fakedriver/publish"
)

// partOf separates the name of a right cluster from the part of its specs that a
// case runs.
const partOf = ", part "

// parts distributes specs over cases, because one process would take far longer
// for all specs of a cluster than any other.
func parts(all []suite.Spec) map[string][]suite.Spec {
	const size = 40
	parts := map[string][]suite.Spec{}
	for part := range slices.Chunk(all, size) {
		parts[strconv.Itoa(len(parts)+1)] = part
	}
	return parts
}

// patient lets specs take as long as a busy machine needs. No limit expires in a run that
// must pass.
func patient(o *suite.Options) {
	t := &o.Timeouts
	for _, limit := range []*time.Duration{&t.PodStart, &t.Unschedulable, &t.Deletion, &t.Recovery, &t.KubeletRetries} {
		*limit = 3 * time.Minute
	}
	o.SpecTimeout = 10 * time.Minute
}

// specsFor selects the specs that run in a right cluster. The devices of the
// cluster do not matter to specs with simulated nodes, so these run only in
// some clusters.
func specsFor(cluster string) func(*suite.Options) {
	runs, ok := specsOf[cluster]
	if !ok {
		runs = func(s suite.Spec) bool {
			// Specs that test the API server are skipped here: the fake API
			// server performs almost no validation.
			relevant := s.Component != env.Cluster && len(s.AbsentFeatures) == 0
			return relevant && (cluster == "one GPU" || cluster == "slow" || !needsSimulatedNodes(s))
		}
	}
	return func(c *suite.Options) {
		// Specs of control plane controllers run in clusters of old releases.
		c.Specs = slices.DeleteFunc(specs.All(), func(s suite.Spec) bool { return !runs(s) || s.Profile == "classic" })
		if cluster == withoutAffinity {
			wrong.WithoutFeature(features.SharingAffinity)(&c.Target)
		}
		if cluster == withOneNode {
			c.Node = "node-2"
		}
	}
}

// specsOf selects the specs of clusters in which only some are relevant.
var specsOf = map[string]func(suite.Spec) bool{
	withoutPartitions: func(s suite.Spec) bool {
		return slices.Contains(s.AbsentFeatures, features.Partitions) || (s.Profile == "driver" || s.Profile == "node-plugin") && !needsSimulatedNodes(s)
	},
	withoutAffinity: func(s suite.Spec) bool { return slices.Contains(s.AbsentFeatures, features.SharingAffinity) },
	withPodSync: func(s suite.Spec) bool {
		waiting := []string{"absent-driver-is-waited-for", "not-reserved-is-not-run", "failed-prepare-is-retried", "answers-are-the-same-again", "restarted-container-sees-devices"}
		return slices.Contains(waiting, s.ID)
	},
	withOneNode:       func(s suite.Spec) bool { return s.OneNode },
	withSyncPeriod:    func(s suite.Spec) bool { return s.Component == env.Kubelet || s.ID == "answers-are-the-same-again" },
	withOtherCriteria: prefers,
	withShuffledSlices: func(s suite.Spec) bool {
		return prefers(s) || strings.HasPrefix(s.ID, "pool-") && s.Component == env.Scheduler && needsSimulatedNodes(s)
	},
	withLateScheduler:      func(s suite.Spec) bool { return usesSimulatedDevices(s) || s.ID == "absent-driver-offers-nothing" },
	withLateController:     usesSimulatedDevices,
	withOtherOrder:         usesSimulatedDevices,
	withErrorsOfPools:      func(s suite.Spec) bool { return s.ID == "pool-invalid-is-reported" },
	withRetriedBinding:     func(s suite.Spec) bool { return s.ID == "binding-outcomes-are-counted" },
	withGradualPublication: func(s suite.Spec) bool { return s.ID == "device-names-outlive-restart" },
	withResetGeneration:    func(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsDriverRestart) },
	withFullNode:           func(s suite.Spec) bool { return s.Component == env.Kubelet || s.Profile == "node-plugin" },
	withBusyRuntime:        func(s suite.Spec) bool { return s.Component == env.Driver },
	withLostAnswers:        func(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsDriverFaults) },
	withClaimErrors:        func(s suite.Spec) bool { return s.Profile == "node-plugin" },
	withErrorsOfCalls:      func(s suite.Spec) bool { return s.Profile == "node-plugin" },
	withRenamedCDI:         func(s suite.Spec) bool { return s.Profile == "node-plugin" },
	withTaintedHosts:       func(s suite.Spec) bool { return slices.Contains(s.Fields, subject.MultiHostWithdrawn) },
	withQuotas:             func(s suite.Spec) bool { return strings.Contains(s.ID, "-quota") },
}

// prefers reports whether a spec expects a choice that a scheduler only prefers.
func prefers(s suite.Spec) bool {
	preferences := []string{"prioritized-list-prefers-nodes-with-first", "prioritized-list-prefers-nodes-for-each-claim", "prioritized-list-goes-with-allocated-claims", "affinity-locked-device-preferred"}
	return slices.Contains(preferences, s.ID)
}

// usesSimulatedDevices reports whether a spec tests a scheduler or a controller with devices of
// simulated nodes.
func usesSimulatedDevices(s suite.Spec) bool {
	return s.Component != env.Cluster && needsSimulatedNodes(s) && len(s.AbsentFeatures) == 0
}

func needsSimulatedNodes(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsSimulatedNodes) }

// right are clusters in which every spec must pass. They behave correctly in
// different ways.
var right = map[string]fakecluster.Options{
	"one GPU":                  {},
	"GPUs on several nodes":    {Nodes: 3, GPUs: 2},
	"counters with devices":    {GPUs: 2, Form: publish.CountersWithDevices},
	"a driver of another name": {Driver: "gpu.a-vendor.example.org"},
	"the last devices first":   {Nodes: 2, GPUs: 2, LastFit: true},
	"slow":                     {Lag: 150 * time.Millisecond},
	"one GPU on each node":     {Nodes: 2},
	"devices of others":        {GPUs: 2, Objects: slices.Concat(fakecluster.AllocatedClaim("neighbour", "mig.example.com", "gpu-1-mig-1g-5gb-0"), otherDriver)},
	"TPUs over four nodes":     {Nodes: 4, TPU: "tpu.example.com"},
	"admin access to the GPU":  {Objects: adminAccess()},
	"network interfaces":       {Nodes: 2, NIC: "nic.example.com"},
	withOneNode:                {Nodes: 2, GPUs: 2, NIC: "nic.example.com"},
	withClaimErrors:            {RejectsClaims: true, NIC: "nic.example.com"},
	withErrorsOfCalls:          {RejectsClaims: true, RejectsTogether: true, NIC: "nic.example.com"},
	withRenamedCDI:             {RenamesCDI: true, NIC: "nic.example.com"},
	withBusyRuntime:            {Stumbles: true},
	withLostAnswers:            {LosesAnswers: true, NIC: "nic.example.com"},
	withPodSync:                {LooksAgain: true},
	withSyncPeriod:             {SyncPeriod: time.Second},
	"reports in other words":   {OtherWords: true},
	withOtherCriteria:          {OtherCriteria: true, Nodes: 2},
	withShuffledSlices:         {ShufflesSlices: true},
	withLateScheduler:          {Late: fakecluster.Lateness{Offers: 5 * time.Second, Releases: time.Second}},
	withLateController:         {Late: fakecluster.Lateness{Controller: 20 * time.Second, Collector: 80 * time.Second}},
	withOtherOrder:             {ReversesResults: true},
	withErrorsOfPools:          {FailsForPools: true},
	withRetriedBinding:         {Mistakes: fakecluster.MistakesOf(fakecluster.MetricsMistakes{Mismeasures: countsTwice})},
	withGradualPublication:     {PublishesGradually: true},
	withResetGeneration:        {ResetsGeneration: true},
	withFullNode:               {Nodes: 2, Objects: fakecluster.AllocatedClaim("neighbour", "mig.example.com", "gpu-0")},
	withTaintedHosts:           {Nodes: 4, TPU: "tpu.example.com", TaintsWithdrawn: true, Lag: 100 * time.Millisecond},
	withQuotas:                 {Lag: 300 * time.Millisecond},
	withoutPartitions:          {GPUs: 4, WithoutPartitions: true, Admit: dropsPartitions},
	withoutAffinity:            {WithoutAffinity: true},
}

// withPodSync is a cluster in which specs that wait for the kubelet must
// update the pod. Otherwise, they wait for minutes.
const withPodSync = "a kubelet that syncs changed pods"

// withOneNode is a cluster in which the specs may only use the second node.
const withOneNode = "specs on one node"

// withSyncPeriod is a cluster whose kubelets try again after some time, whether
// a pod was updated or not.
const withSyncPeriod = "a kubelet that syncs pods by itself"

// withOtherCriteria is a cluster whose scheduler has more criteria than those of
// the specs.
const withOtherCriteria = "a scheduler with other criteria"

// withShuffledSlices is a cluster whose scheduler observes ResourceSlices in
// another order than that of their creation.
const withShuffledSlices = "slices that are observed in any order"

// withLateScheduler is a cluster whose scheduler observes pods long before other
// changes, but that claims are released before specs conclude from a pending pod that
// they are not. The run has a time of its own, because it would take long otherwise.
const withLateScheduler = "a scheduler that observes changes late"

// withLateController is a cluster whose kube-controller-manager takes long to free claims, and
// longer to delete those whose owners are gone. The run has a time of its own, too, and the
// timeouts of a real one.
const withLateController = "a controller that reacts late"

// withOtherOrder is a cluster whose scheduler lists the devices of an allocation in another
// order than that of the requests.
const withOtherOrder = "results in another order"

// withErrorsOfPools is a cluster whose scheduler ends with an error if a pool is invalid, as
// KEP-4815 has it in its section on validation.
const withErrorsOfPools = "errors of invalid pools"

// withRetriedBinding is a cluster whose scheduler tries twice to bind a pod with a failed
// device, and counts both attempts.
const withRetriedBinding = "a scheduler that retries"

func countsTwice(metrics string) string {
	return strings.ReplaceAll(metrics, `status="failure"} 1`, `status="failure"} 2`)
}

// withGradualPublication is a cluster whose driver publishes the devices little
// by little when it starts.
const withGradualPublication = "a driver that publishes gradually"

// withResetGeneration is a cluster whose driver begins anew with the generation of its
// pools when it starts.
const withResetGeneration = "a driver that resets generations"

// withFullNode is a cluster in which the devices of the first node are allocated
// to a neighbour.
const withFullNode = "a full node"

// withBusyRuntime is a cluster in which the first start of each container
// fails.
const withBusyRuntime = "a busy container runtime"

// withLostAnswers is a cluster in which requests for faults are repeated, because the
// answers are lost.
const withLostAnswers = "lost answers of drivers"

// withClaimErrors is a cluster whose driver reports claims that it cannot
// prepare one by one. Others fail the whole call.
const withClaimErrors = "errors of single claims"

// withErrorsOfCalls is a cluster whose driver reports an error for each claim of a call, if
// it cannot prepare one of them.
const withErrorsOfCalls = "errors of all claims of a call"

// withRenamedCDI is a cluster whose drivers give CDI devices other names when a claim was
// unprepared and is prepared again.
const withRenamedCDI = "CDI devices with new names"

// withTaintedHosts is a cluster whose driver of multi-host devices taints those that span a
// withdrawn node.
const withTaintedHosts = "tainted hosts"

// withQuotas is a cluster whose API server observes quotas late.
const withQuotas = "quotas that are observed late"

// withoutAffinity is a cluster whose scheduler does not support sharing
// affinity.
const withoutAffinity = "without sharing affinity"

// withoutPartitions is a cluster without the feature gate for partitionable
// devices.
const withoutPartitions = "without partitions"

func TestRightClustersPass(t *testing.T) {
	t.Parallel()
	for cluster := range right {
		var c suite.Options
		specsFor(cluster)(&c)
		NewWithT(t).Expect(c.Specs).NotTo(BeEmpty(), cluster)
		for part, specs := range parts(c.Specs) {
			t.Run(cluster+partOf+part, func(t *testing.T) {
				t.Parallel()
				g := NewWithT(t)
				outcome := suiterun.Run(t, cluster+partOf+part)
				g.Expect(outcome.Err).To(BeEmpty())
				g.Expect(outcome.Results).To(HaveLen(len(specs)))
				for i, r := range outcome.Results {
					if want := outcomeIn(right[cluster], specs[i]); r.Outcome != want {
						t.Errorf("%s should be %s, and is %s: %s", r.ID, want, r.Outcome, r.Reason)
					}
				}
				g.Expect(outcome.Namespaces).To(BeEmpty(), "every spec removes its namespace")
				missing, _ := access.Compare(access.Run{Fakes: true, NodeAgent: true, SimulateNodes: true}.Rights(), outcome.Requests)
				g.Expect(missing).To(BeEmpty(), "every request of a run with the fake drivers needs a right")
			})
		}
	}
}

// outcomeIn returns the outcome that a spec must have in a right cluster.
func outcomeIn(cluster fakecluster.Options, spec suite.Spec) suite.Outcome {
	offered := []subject.Kind{subject.KindExclusive, subject.KindPartition}
	if cluster.TPU != "" {
		offered = append(offered, subject.KindMultiHost)
	}
	if cluster.NIC != "" {
		offered = append(offered, subject.KindShared)
	}
	switch {
	case cluster.WithoutPartitions && slices.Contains(spec.Features, features.Partitions):
		return suite.NotSupported
	case slices.ContainsFunc(spec.Kinds, func(k subject.Kind) bool { return !slices.Contains(offered, k) }):
		return suite.NotApplicable // the fake cluster has no such devices
	}
	return suite.Passed
}
