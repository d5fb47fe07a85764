// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/topology"
)

// multiHostReady returns the reason why the pool of the topology is not
// complete, or nil.
func multiHostReady(ctx context.Context, client kubernetes.Interface, options Options) error {
	pods, err := options.controllers(ctx, client)
	if err != nil {
		return err
	}
	if err := deploymentReady(ctx, client, options, pods); err != nil {
		return err
	}
	wanted, err := options.wantedPool(ctx, client)
	if err != nil {
		return err
	}
	stored, err := listSlices(ctx, client, options.DriverName)
	if err != nil {
		return err
	}
	published := map[string]*corev1.NodeSelector{}
	for _, slice := range latest(stored, wanted.Name) {
		for _, device := range slice.Spec.Devices {
			published[device.Name] = device.NodeSelector
		}
	}
	if len(published) == 0 {
		return &podsError{fmt.Sprintf("the pool %s is not complete", wanted.Name), pods}
	}
	for _, device := range wanted.Devices {
		if !apiequality.Semantic.DeepEqual(published[device.Name], device.NodeSelector) {
			return &podsError{fmt.Sprintf("device %s of the pool %s does not have the expected nodes", device.Name, wanted.Name), pods}
		}
	}
	return nil
}

// controllers returns the pods of the controller.
func (o Options) controllers(ctx context.Context, client kubernetes.Interface) ([]corev1.Pod, error) {
	pods, err := o.pods(ctx, client, controllers)
	// Evicted pods stay in the cluster until they are deleted.
	return slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodFailed }), err
}

func deploymentReady(ctx context.Context, client kubernetes.Interface, options Options, pods []corev1.Pod) error {
	deployment, err := client.AppsV1().Deployments(options.Namespace).Get(ctx, options.DriverName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get Deployment %s: %w", options.DriverName, err)
	}
	if deployment.Status.ObservedGeneration < deployment.Generation {
		return errors.New("the Deployment has not been observed yet")
	}
	if err := problemOf("the controller is not ready", unready(pods)); err != nil {
		return err
	}
	status := deployment.Status
	return settled("Deployment", ptr.Deref(deployment.Spec.Replicas, 1), len(pods), status.UpdatedReplicas, status.ReadyReplicas)
}

// wantedPool returns the expected pool for the hosts in the cluster.
func (o Options) wantedPool(ctx context.Context, client kubernetes.Interface) (*topology.Pool, error) {
	described, err := topology.Resolve(o.Devices.Topology)
	if err != nil {
		return nil, err
	}
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var nodes []*corev1.Node
	for i := range list.Items {
		nodes = append(nodes, &list.Items[i])
	}
	byName := o.Devices.AssignHostsByName
	hosts, problems := described.Assign(nodes, byName)
	maps.DeleteFunc(hosts, func(_ int, node *corev1.Node) bool {
		_, withdrawn := node.Labels[topology.WithdrawnLabel(o.DriverName)]
		return withdrawn
	})
	switch {
	case len(problems) > 0:
		return nil, errors.New(strings.Join(problems, "; "))
	case len(hosts) > 0:
		return described.Pool(described.Selection(hosts, byName)), nil
	case byName:
		return nil, fmt.Errorf("no node can be a host of the topology %s, it needs one that is not a control plane node", described.Name())
	default:
		return nil, fmt.Errorf("no node is a host of the topology %s, it needs nodes with the label %s and one of the values %s",
			described.Name(), described.Nodes().Label, strings.Join(described.Hosts(), ", "))
	}
}
