// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// amongWebhooks are clusters whose webhooks and admission plugins change pods so that they say
// nothing about a driver, a scheduler or a kubelet.
var amongWebhooks = wrong.Table{
	"a webhook that gives all pods to another scheduler": notJudged("exclusive-is-prepared-and-released",
		fakecluster.Options{AdmitPods: func(pod *corev1.Pod) { pod.Spec.SchedulerName = "batch-scheduler" }},
		"has set scheduler batch-scheduler in place of default-scheduler in pod before-0"),
	"a webhook that makes pods wait in a queue": notJudged("exclusive-is-prepared-and-released",
		fakecluster.Options{AdmitPods: func(pod *corev1.Pod) {
			pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "queue.example.com/admission"})
		}}, "has added the scheduling gate queue.example.com/admission to pod before-0"),
	"an admission plugin that keeps pods off nodes with devices": notJudged("exclusive-is-prepared-and-released",
		fakecluster.Options{Nodes: 2, AdmitPods: selectsPool}, "lets pod before-0 only run on nodes with map[pool:web]", "and not on [node-1 node-2]"),
	"a policy about init containers": notJudged("init-containers-see-devices", fakecluster.Options{Denies: deniesInitContainers},
		`not conclusive: webhook validate.policy.example.com of the cluster does not admit what the spec needs`, "init containers need an owner"),
	"a quota of the cluster": notJudged("exclusive-is-prepared-and-released", fakecluster.Options{Denies: exceeds("default")},
		"not conclusive: quota default, which is not the spec's, does not admit what the spec needs"),
	"a mesh that keeps pods from completing": notJudged("ended-pod-is-unprepared", fakecluster.Options{InjectsProxies: true},
		"the cluster has added container mesh-proxy to pod claim-0, which goes on"),
	"a mesh that keeps pods from failing": notJudged("failed-pod-is-unprepared", fakecluster.Options{InjectsProxies: true},
		"the cluster has added container mesh-proxy to pod claim-0, which goes on"),
}

func deniesInitContainers(object runtime.Object) error {
	if pod, ok := object.(*corev1.Pod); ok && len(pod.Spec.InitContainers) > 0 {
		return apierrors.NewForbidden(corev1.Resource("pods"), pod.Name, errors.New(`admission webhook "validate.policy.example.com" denied the request: init containers need an owner`))
	}
	return nil
}

func exceeds(quota string) func(runtime.Object) error {
	return func(object runtime.Object) error {
		if pod, ok := object.(*corev1.Pod); ok {
			return apierrors.NewForbidden(corev1.Resource("pods"), pod.Name, fmt.Errorf("exceeded quota: %s, requested: pods=1, used: pods=0, limited: pods=0", quota))
		}
		return nil
	}
}

func selectsPool(pod *corev1.Pod) {
	if pod.Spec.NodeSelector == nil {
		pod.Spec.NodeSelector = map[string]string{}
	}
	pod.Spec.NodeSelector["pool"] = "web"
}

func notJudged(spec string, options fakecluster.Options, want ...string) wrong.Cluster {
	return wrong.Cluster{Spec: spec, Options: options, Outcome: suite.NotApplicable, Want: want}
}
