// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/topology"
)

// proxy is the name of the container that a webhook adds to pods, with
// [Options.InjectsProxies].
const proxy = "mesh-proxy"

// admit changes a new pod as the webhooks and admission plugins of the cluster do.
func (c *Cluster) admit(pod *corev1.Pod) {
	if c.InjectsProxies {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: proxy, Image: "proxy.example.com/proxy:v1"})
	}
	if c.AdmitPods != nil {
		c.AdmitPods(pod)
	}
}

// runProxy makes the container of a webhook run. It has ended once, because it was started
// before what it needs. The pod runs as long as it does.
func runProxy(pod *corev1.Pod, status *corev1.ContainerStatus) {
	status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	status.RestartCount = 1
	status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: metav1.Now(), FinishedAt: metav1.Now()}
	if pod.Status.Phase != corev1.PodPending {
		pod.Status.Phase = corev1.PodRunning
	}
}

// conflict refuses an update of an object that has been labelled since it was read.
func (c *Cluster) conflict(action clienttesting.Action) (bool, runtime.Object, error) {
	if !c.LabelsObjects {
		return false, nil, nil
	}
	object, err := meta.Accessor(action.(clienttesting.UpdateAction).GetObject())
	if err != nil {
		return true, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := action.GetResource().Resource + " " + key(object).String()
	c.conflicted[name] = !c.conflicted[name]
	if c.conflicted[name] {
		return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), object.GetName(), errors.New("the object has been modified"))
	}
	return false, nil, nil
}

// removeNodes deletes the simulated nodes, with [Options.RemovesNodes].
func (c *Cluster) removeNodes() error {
	if !c.RemovesNodes {
		return nil
	}
	all, err := shared[corev1.Node](c, nodesOf, "Node")
	if err != nil {
		return err
	}
	for _, node := range all {
		if _, simulated := node.Labels[topology.SimulatedLabel]; simulated {
			err = errors.Join(err, c.remove(nodesOf, node))
		}
	}
	return err
}
