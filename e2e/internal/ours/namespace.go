// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ours removes objects that belong to a run, and no others.
package ours

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/engine"
)

// pollInterval is the interval between two checks while waiting.
const pollInterval = 500 * time.Millisecond

// Check returns an error if an object that exists does not belong to the run with an id.
func Check(object metav1.Object, runID string) error {
	if have := object.GetLabels()[engine.RunLabel]; have != runID {
		return fmt.Errorf("it exists and does not belong to run %s: label %s is %q", runID, engine.RunLabel, have)
	}
	return nil
}

// RemoveNamespace removes a namespace of a run with everything in it, and waits until it
// is gone or the context ends. It is no error if it does not exist. A namespace that does
// not belong to the run is kept, with an error: runs whose ids end with the same suffix
// use the same names.
func RemoveNamespace(ctx context.Context, client kubernetes.Interface, name, runID string) error {
	namespaces := client.CoreV1().Namespaces()
	existing, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		err = Check(existing, runID)
	}
	if err == nil {
		err = ignoreNotFound(namespaces.Delete(ctx, name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(existing.UID))}))
	}
	if err != nil {
		return fmt.Errorf("remove namespace %s: %w", name, err)
	}
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), ignoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("wait until namespace %s is gone: %w", name, err)
	}
	return nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
