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
	withOneReason: func(s suite.Spec) bool {
		failing := []string{
			"reserved-before-bound", "failed-binding-releases-claims", "rejected-binding-releases-claims", "failed-binding-keeps-other-users", "reservation-is-for-one-pod",
			"extended-resource-claim-ends-with-failed-binding", "extended-resource-failed-binding-frees-devices", "affinity-failed-binding-unlocks",
			"rejected-binding-reserves-anew", "shared-device-failed-binding-frees-capacity",
		}
		return slices.Contains(failing, s.ID)
	},
	withReleasedClaims: func(s suite.Spec) bool { return s.Profile == "binding-conditions" && s.Component != env.Cluster },
	withLateScheduler:  func(s suite.Spec) bool { return usesSimulatedDevices(s) || s.ID == "absent-driver-offers-nothing" },
	withLateController: usesSimulatedDevices,
	withOtherOrder:     usesSimulatedDevices,
	withErrorsOfPools:  func(s suite.Spec) bool { return s.ID == "pool-invalid-is-reported" },
	withRetriedBinding: func(s suite.Spec) bool { return s.ID == "binding-outcomes-are-counted" },
	withGradualPublication: func(s suite.Spec) bool {
		return slices.Contains([]string{"device-names-outlive-restart", "used-devices-outlive-restart"}, s.ID)
	},
	withManyNodes: func(s suite.Spec) bool {
		// The watches of the auditor, which has to do with claims, do not show the changes.
		published := []string{"pools-are-complete", "slices-are-valid", "exclusive-slices-use-standard-attributes", "pools-stay-right-during-restart"}
		return slices.Contains(published, s.ID)
	},
	withMeasuredAttributes: func(s suite.Spec) bool { return s.Profile == "driver" && s.Component == env.Driver },
	withResetGeneration:    func(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsDriverRestart) },
	withFullNode:           func(s suite.Spec) bool { return s.Component == env.Kubelet || s.Profile == "node-plugin" },
	withBusyRuntime:        func(s suite.Spec) bool { return s.Component == env.Driver },
	withLostAnswers:        func(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsDriverFaults) },
	withClaimErrors:        func(s suite.Spec) bool { return s.Profile == "node-plugin" },
	withErrorsOfCalls:      func(s suite.Spec) bool { return s.Profile == "node-plugin" },
	withRenamedCDI:         func(s suite.Spec) bool { return s.Profile == "node-plugin" },
	withTaintedHosts:       func(s suite.Spec) bool { return slices.Contains(s.Fields, subject.MultiHostWithdrawn) },
	withLabeller: func(s suite.Spec) bool {
		changing := []string{"class-changed-lets-pods-in", "device-changed-is-selected-anew", "class-changed-configures-anew", "extended-resource-waits-for-its-class", "constraint-covers-all-devices"}
		return s.Profile == "device-taints" && s.Component != env.Cluster || slices.Contains(changing, s.ID)
	},
	withQuotas: func(s suite.Spec) bool { return strings.Contains(s.ID, "-quota") },
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
	case cluster.InjectsProxies && slices.Contains([]string{"ended-pod-is-unprepared", "failed-pod-is-unprepared", "shared-claim-unprepared-by-last-pod"}, spec.ID):
		return suite.NotApplicable // pods do not end
	case slices.ContainsFunc(spec.Kinds, func(k subject.Kind) bool { return !slices.Contains(offered, k) }):
		return suite.NotApplicable // the fake cluster has no such devices
	}
	return suite.Passed
}
