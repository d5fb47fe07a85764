// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// amongWebhooks are clusters whose webhooks and admission plugins change pods and jobs so that
// they say nothing about a scheduler or a controller.
var amongWebhooks = wrong.Table{
	"an admission plugin that keeps pods off simulated nodes": {
		Options: fakecluster.Options{AdmitPods: func(pod *corev1.Pod) { pod.Spec.NodeSelector["pool"] = "default" }},
		Spec:    "preemption-makes-room-for-claims", Outcome: suite.NotApplicable,
		Want: []string{"lets pod try only run on nodes with map[", "pool:default", "and not on [draconform-test-1-n00 draconform-test-1-n01]"},
	},
	"a cloud that deletes nodes without a machine": {
		Options: fakecluster.Options{RemovesNodes: true}, Spec: "class-changed-lets-pods-in", Outcome: suite.NotApplicable,
		Want: []string{"not conclusive: something in the cluster has deleted the simulated node draconform-test-1-n00"},
	},
	"a webhook that suspends jobs": {
		Options: fakecluster.Options{SuspendsJobs: true}, Spec: "job-retries-get-devices", Outcome: suite.NotApplicable,
		Want: []string{"has suspended job job"},
	},
}
