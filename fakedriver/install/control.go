// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/fakedriver/control"
)

// Control returns a client for the control endpoint of the driver on a node.
// The client reaches the endpoint through the API server. In addition to the
// permissions for requests, it needs get on the installation's Secret and list
// on its pods.
//
// Control returns an error if no pod exists on the node, if the pod does not
// run, or if the Secret is missing. The pod must be running but need not be
// ready, so that changes made through the control endpoint can be undone.
func Control(ctx context.Context, client kubernetes.Interface, options Options, node string) (*control.Client, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	pod, err := options.podOn(ctx, client, node)
	if err != nil {
		return nil, fmt.Errorf("control driver %s on node %s: %w", options.DriverName, node, err)
	}
	token, err := options.token(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("control driver %s on node %s: %w", options.DriverName, node, err)
	}
	return control.NewClient(client.CoreV1().RESTClient(), pod.Namespace, pod.Name, token), nil
}

// podOn returns the driver's running pod on a node.
func (o Options) podOn(ctx context.Context, client kubernetes.Interface, node string) (*corev1.Pod, error) {
	pods, err := o.pods(ctx, client, onNodes)
	if err != nil {
		return nil, err
	}
	var problem error
	for _, pod := range pods {
		switch {
		case pod.Spec.NodeName != node:
		case pod.DeletionTimestamp == nil && runs(pod):
			return &pod, nil
		case pod.DeletionTimestamp != nil:
			problem = fmt.Errorf("pod %s/%s is being deleted", pod.Namespace, pod.Name)
		default:
			problem = fmt.Errorf("pod %s/%s does not run: %s", pod.Namespace, pod.Name, podState(pod))
		}
	}
	if problem != nil {
		return nil, problem
	}
	return nil, fmt.Errorf("there is no pod, only %d on other nodes", len(pods))
}

// runs reports whether a pod and all its containers are running.
func runs(pod corev1.Pod) bool {
	for _, container := range pod.Status.ContainerStatuses {
		if container.State.Running == nil {
			return false
		}
	}
	return pod.Status.Phase == corev1.PodRunning
}
