// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const pollInterval = 500 * time.Millisecond

// Driver is a driver in a cluster.
type Driver struct {
	// Name is the name of the DRA driver.
	Name string
	// Namespace and DaemonSet are those of its pods.
	Namespace, DaemonSet string
}

// WaitUntilPublished waits until the driver has a complete pool for each node of
// its DaemonSet. If the context ends before, the error has the state of the driver.
func (d Driver) WaitUntilPublished(ctx context.Context, client kubernetes.Interface) error {
	last := errors.New("its state is unknown")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if err := d.published(ctx, client); ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the devices of driver %s: %w: %w", d.Name, context.Cause(ctx), last)
	}
	return nil
}

// published returns nil if the driver has a complete pool for each node of its
// DaemonSet, and otherwise what is missing.
func (d Driver) published(ctx context.Context, client kubernetes.Interface) error {
	set, err := client.AppsV1().DaemonSets(d.Namespace).Get(ctx, d.DaemonSet, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get DaemonSet %s/%s: %w", d.Namespace, d.DaemonSet, err)
	}
	wanted := int(set.Status.DesiredNumberScheduled)
	if set.Status.ObservedGeneration < set.Generation || wanted == 0 {
		return errors.New("its DaemonSet has no pods yet")
	}
	pools, err := completePools(ctx, client, d.Name)
	if err != nil {
		return err
	}
	if ready := int(set.Status.NumberReady); ready < wanted || pools < wanted {
		return fmt.Errorf("%d of %d pods are ready, and there are %d complete pools%s", ready, wanted, pools, d.podProblems(ctx, client))
	}
	return nil
}

// completePools returns the number of pools of a driver that have all their
// slices.
func completePools(ctx context.Context, client kubernetes.Interface, driver string) (int, error) {
	slices, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: "spec.driver=" + driver})
	if err != nil {
		return 0, fmt.Errorf("list the ResourceSlices of driver %s: %w", driver, err)
	}
	type generation struct {
		pool   string
		number int64
	}
	missing := map[generation]int64{}
	for _, slice := range slices.Items {
		of := generation{slice.Spec.Pool.Name, slice.Spec.Pool.Generation}
		if _, seen := missing[of]; !seen {
			missing[of] = slice.Spec.Pool.ResourceSliceCount
		}
		missing[of]--
	}
	complete := 0
	for _, of := range missing {
		if of == 0 {
			complete++
		}
	}
	return complete, nil
}

// podProblems describes why pods of the driver are not ready.
func (d Driver) podProblems(ctx context.Context, client kubernetes.Interface) string {
	pods, err := client.CoreV1().Pods(d.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Sprintf(" (list its pods: %v)", err)
	}
	var text strings.Builder
	for _, pod := range pods.Items {
		for _, container := range pod.Status.ContainerStatuses {
			switch state := container.State; {
			case state.Waiting != nil:
				fmt.Fprintf(&text, "; pod %s waits: %s %s", pod.Name, state.Waiting.Reason, state.Waiting.Message)
			case state.Terminated != nil:
				fmt.Fprintf(&text, "; pod %s ended: %s %s", pod.Name, state.Terminated.Reason, state.Terminated.Message)
			}
		}
	}
	return text.String()
}
