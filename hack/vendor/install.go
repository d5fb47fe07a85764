// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

const (
	// installTimeout bounds the wait until the drivers have published their
	// devices.
	installTimeout = 2 * time.Minute
	pollInterval   = 500 * time.Millisecond
)

// install creates the objects of the drivers and waits until they have
// published their devices.
func (c *cluster) install(ctx context.Context) error {
	config, err := c.provider.RESTConfig(ctx)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	for _, d := range drivers {
		task := c.progress.Task("driver %s", d)
		if err := c.createObjects(ctx, config, client, d); err != nil {
			return task.Fail(fmt.Errorf("install driver %s: %w", d, err))
		}
		task.Done("created")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout, fmt.Errorf("not published after %s", installTimeout))
	defer cancel()
	for _, d := range drivers {
		task := c.progress.Task("devices of driver %s", d)
		if err := waitUntilPublished(ctx, client, d); err != nil {
			return task.Fail(err)
		}
		task.Done("published")
	}
	return nil
}

func (c *cluster) createObjects(ctx context.Context, config *rest.Config, client kubernetes.Interface, d vendored) error {
	objects, err := d.objects(c.source, c.release)
	if err != nil {
		return err
	}
	resources, err := restmapper.GetAPIGroupResources(client.Discovery())
	if err != nil {
		return fmt.Errorf("list the resources of the API server: %w", err)
	}
	all, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(resources)
	for _, object := range objects {
		if err := create(ctx, all, mapper, object); err != nil {
			return err
		}
	}
	return nil
}

// waitUntilPublished waits until a driver has a complete pool for each node of
// its DaemonSet.
func waitUntilPublished(ctx context.Context, client kubernetes.Interface, d vendored) error {
	last := errors.New("its state is unknown")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if err := published(ctx, client, d); ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the devices of driver %s: %w: %w", d, context.Cause(ctx), last)
	}
	return nil
}

// published returns nil if a driver has a complete pool for each node of its
// DaemonSet, and otherwise what is missing.
func published(ctx context.Context, client kubernetes.Interface, d vendored) error {
	set, err := client.AppsV1().DaemonSets(d.namespace).Get(ctx, d.daemonSet, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get DaemonSet %s/%s: %w", d.namespace, d.daemonSet, err)
	}
	wanted := int(set.Status.DesiredNumberScheduled)
	if set.Status.ObservedGeneration < set.Generation || wanted == 0 {
		return errors.New("its DaemonSet has no pods yet")
	}
	pools, err := completePools(ctx, client, d.driver)
	if err != nil {
		return err
	}
	if ready := int(set.Status.NumberReady); ready < wanted || pools < wanted {
		return fmt.Errorf("%d of %d pods are ready, and there are %d complete pools%s", ready, wanted, pools, podProblems(ctx, client, d))
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

// podProblems describes why pods of a driver are not ready.
func podProblems(ctx context.Context, client kubernetes.Interface, d vendored) string {
	pods, err := client.CoreV1().Pods(d.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Sprintf(" (list its pods: %v)", err)
	}
	text := ""
	for _, pod := range pods.Items {
		for _, container := range pod.Status.ContainerStatuses {
			switch state := container.State; {
			case state.Waiting != nil:
				text += fmt.Sprintf("; pod %s waits: %s %s", pod.Name, state.Waiting.Reason, state.Waiting.Message)
			case state.Terminated != nil:
				text += fmt.Sprintf("; pod %s ended: %s %s", pod.Name, state.Terminated.Reason, state.Terminated.Message)
			}
		}
	}
	return text
}
