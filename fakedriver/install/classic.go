// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/control"
)

// controllersReady returns the reason why not all controllers of classic DRA are
// ready, or nil.
func controllersReady(ctx context.Context, client kubernetes.Interface, options Options) error {
	pods, err := options.controllers(ctx, client)
	if err != nil {
		return err
	}
	return deploymentReady(ctx, client, options, pods)
}

// ScaleControllers changes the number of controllers of a driver of classic DRA, and
// returns when exactly so many run and all of them are ready. It needs patch on the
// driver's Deployment, and list on its pods.
func ScaleControllers(ctx context.Context, client kubernetes.Interface, options Options, replicas int) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	change := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
	_, err = client.AppsV1().Deployments(options.Namespace).Patch(ctx, options.DriverName, types.MergePatchType, []byte(change), metav1.PatchOptions{FieldManager: options.fieldManager()})
	if err != nil {
		return fmt.Errorf("change the number of controllers of driver %s to %d: %w", options.DriverName, replicas, err)
	}
	if err := waitForControllers(ctx, client, options); err != nil {
		return fmt.Errorf("wait until driver %s has %d controllers: %w", options.DriverName, replicas, err)
	}
	return nil
}

// waitForControllers waits until exactly as many controllers run as are wanted, and all of
// them are ready.
func waitForControllers(ctx context.Context, client kubernetes.Interface, options Options) error {
	last := errors.New("its pods were not checked yet")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if reason := controllersReady(ctx, client, options); ctx.Err() == nil {
			last = reason
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), last)
	}
	return nil
}

// ReplaceControllers installs a driver of classic DRA again, with another image, and returns
// when one controller with this image runs and is ready. It does not wait for the plugins on
// nodes: kubelets without DRA do not register them, so that they are never ready.
func ReplaceControllers(ctx context.Context, client kubernetes.Interface, options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	// An update has set the number of controllers, with which Apply would conflict.
	err = client.AppsV1().Deployments(options.Namespace).Delete(ctx, options.DriverName, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove the controllers of driver %s: %w", options.DriverName, err)
	}
	if err := Apply(ctx, client, options); err != nil {
		return err
	}
	if err := waitForControllers(ctx, client, options); err != nil {
		return fmt.Errorf("wait until driver %s has a controller of image %s: %w", options.DriverName, options.Image, err)
	}
	return nil
}

// LeadingController returns a client for the control endpoint of the controller of
// classic DRA that holds the lease of its driver, and the identity that the lease has.
// The identity changes when another process takes over. It returns an error if none
// holds it, or if that one does not run. In addition to the permissions of [Control] it
// needs get on the Lease.
func LeadingController(ctx context.Context, client kubernetes.Interface, options Options) (leader *control.Client, identity string, err error) {
	options, err = options.complete()
	if err != nil {
		return nil, "", err
	}
	lease, err := client.CoordinationV1().Leases(options.Namespace).Get(ctx, options.DriverName, metav1.GetOptions{})
	if err != nil {
		return nil, "", fmt.Errorf("find the leading controller of driver %s: %w", options.DriverName, err)
	}
	identity = ptr.Deref(lease.Spec.HolderIdentity, "")
	pods, err := options.controllers(ctx, client)
	if err != nil {
		return nil, "", err
	}
	// The identity begins with the name of the host, which is that of the pod.
	name, _, _ := strings.Cut(identity, "_")
	i := slices.IndexFunc(pods, func(pod corev1.Pod) bool { return pod.Name == name && pod.DeletionTimestamp == nil && runs(pod) })
	if i < 0 {
		return nil, "", fmt.Errorf("find the leading controller of driver %s: none of its %d pods that run holds the lease, but %q", options.DriverName, len(pods), identity)
	}
	token, err := options.token(ctx, client)
	if err != nil {
		return nil, "", fmt.Errorf("control the leading controller of driver %s: %w", options.DriverName, err)
	}
	return control.NewClient(client.CoreV1().RESTClient(), options.Namespace, name, token), identity, nil
}
