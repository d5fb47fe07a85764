// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/fakedriver/publish"
)

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
	withOneReason:              {OtherWords: true},
	withOtherCriteria:          {OtherCriteria: true, Nodes: 2},
	withShuffledSlices:         {ShufflesSlices: true},
	withLateScheduler:          {Late: fakecluster.Lateness{Offers: 5 * time.Second, Releases: time.Second}},
	withReleasedClaims:         {ReleasesTogether: true, Lag: 150 * time.Millisecond},
	withLateController:         {Late: fakecluster.Lateness{Controller: 20 * time.Second, Collector: 80 * time.Second}},
	withOtherOrder:             {ReversesResults: true},
	withErrorsOfPools:          {FailsForPools: true},
	withRetriedBinding:         {Mistakes: fakecluster.MistakesOf(fakecluster.MetricsMistakes{Mismeasures: countsTwice})},
	withGradualPublication:     {PublishesGradually: true},
	withManyNodes:              {Nodes: 2, ChangesPools: true},
	withMeasuredAttributes:     {Nodes: 2, ChangesAttributes: true},
	withResetGeneration:        {ResetsGeneration: true},
	withFullNode:               {Nodes: 2, Objects: fakecluster.AllocatedClaim("neighbour", "mig.example.com", "gpu-0")},
	withTaintedHosts:           {Nodes: 4, TPU: "tpu.example.com", TaintsWithdrawn: true, Lag: 100 * time.Millisecond},
	withLabeller:               {LabelsObjects: true, NIC: "nic.example.com"},
	withProxies:                {InjectsProxies: true, NIC: "nic.example.com"},
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

// withOneReason is a cluster whose scheduler states the same reason for pods that it could not
// bind as for those that fit no node.
const withOneReason = "one reason for all pending pods"

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

// withReleasedClaims is a cluster whose scheduler gives up all claims of a pod with a failed
// device, and takes some time for each.
const withReleasedClaims = "a scheduler that releases all claims of a pod"

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

// withManyNodes is a cluster in which each look at the pools of a driver shows one of them in
// the middle of a change.
const withManyNodes = "pools that always change"

// withMeasuredAttributes is a cluster whose drivers publish an attribute that has another value
// each time.
const withMeasuredAttributes = "attributes that change"

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

// withLabeller is a cluster in which a controller adds labels to objects, also to those that a
// spec is about to update.
const withLabeller = "labels of a controller"

// withProxies is a cluster whose webhook adds a container to each pod, which fails once and
// never ends.
const withProxies = "a service mesh"

// withQuotas is a cluster whose API server observes quotas late.
const withQuotas = "quotas that are observed late"

// withoutAffinity is a cluster whose scheduler does not support sharing
// affinity.
const withoutAffinity = "without sharing affinity"

// withoutPartitions is a cluster without the feature gate for partitionable
// devices.
const withoutPartitions = "without partitions"
