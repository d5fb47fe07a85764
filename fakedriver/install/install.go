// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// pollInterval is the interval between two checks while waiting.
const pollInterval = 500 * time.Millisecond

// Install installs the driver and waits until the pods of all nodes are ready
// and the driver has published complete pools. With a topology, this is one
// pool with all hosts in the cluster, otherwise one pool per node. Installing
// again with the same options changes nothing. To replace devices of nodes by a
// topology, or a topology by devices of nodes, uninstall the driver first.
//
// Install returns an error without changing anything if an object that it would
// create already exists and does not belong to the run. Waiting ends with the
// context. The error then names the parts that are not ready and describes the
// state of their pods.
func Install(ctx context.Context, client kubernetes.Interface, options Options) error {
	if err := Apply(ctx, client, options); err != nil {
		return err
	}
	options, err := options.complete()
	if err != nil {
		return err
	}
	return waitUntilReady(ctx, client, options)
}

// Apply installs the driver like Install, but does not wait for it.
func Apply(ctx context.Context, client kubernetes.Interface, options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	objects, err := options.objects()
	if err != nil {
		return err
	}
	for _, object := range append(objects, options.secret("")) {
		if err := options.checkFree(ctx, client, object); err != nil {
			return err
		}
	}
	if err := options.ensureToken(ctx, client); err != nil {
		return err
	}
	for _, object := range objects {
		if err := options.apply(ctx, client, object); err != nil {
			return err
		}
	}
	return nil
}

// fieldManager returns a field manager that is unique to the run. Changing the
// label of another run's object is therefore a conflict.
func (o Options) fieldManager() string { return "draconform-" + o.RunID }

func (o Options) apply(ctx context.Context, client kubernetes.Interface, object runtime.Object) error {
	remote, description, err := find(client, object)
	if err != nil {
		return err
	}
	data, err := applied(object)
	if err != nil {
		return err
	}
	if err := remote.apply(ctx, data, metav1.PatchOptions{FieldManager: o.fieldManager()}); err != nil {
		return fmt.Errorf("apply %s for run %s: %w", description, o.RunID, err)
	}
	return nil
}

// checkFree returns an error if an object exists and does not belong to the run.
func (o Options) checkFree(ctx context.Context, client kubernetes.Interface, object runtime.Object) error {
	remote, description, err := find(client, object)
	if err != nil {
		return err
	}
	existing, err := remote.get(ctx)
	if err == nil {
		err = o.checkOwner(existing)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("install %s for run %s: %w", description, o.RunID, err)
	}
	return nil
}

// errForeign is returned for an object that does not belong to the run.
var errForeign = errors.New("it does not belong to the run")

func (o Options) checkOwner(object metav1.Object) error {
	wanted, have := o.labels(), object.GetLabels()
	for _, name := range []string{RunLabel, DriverLabel} {
		if have[name] != wanted[name] {
			return fmt.Errorf("%w: label %s is %q", errForeign, name, have[name])
		}
	}
	return nil
}

// Values of the label app.kubernetes.io/component of the driver's pods.
const (
	componentLabel = "app.kubernetes.io/component"
	onNodes        = "node"
	controllers    = "controller"
)

// pods returns the pods of a component, or all pods of the driver if component
// is empty.
func (o Options) pods(ctx context.Context, client kubernetes.Interface, component string) ([]corev1.Pod, error) {
	selector := o.labels()
	if component != "" {
		selector[componentLabel] = component
	}
	list, err := client.CoreV1().Pods(o.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return nil, fmt.Errorf("list pods of driver %s: %w", o.DriverName, err)
	}
	return list.Items, nil
}
