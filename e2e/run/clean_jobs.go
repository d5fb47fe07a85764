// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// terminationTimeout limits the wait for the end of a run in a pod. It is longer
// than the grace period of the pod.
const terminationTimeout = 11 * time.Minute

// terminate deletes a Job and waits until its pods have ended.
func terminate(ctx context.Context, client kubernetes.Interface, job object) error {
	ctx, cancel := context.WithTimeoutCause(ctx, terminationTimeout, fmt.Errorf("its pod has not ended after %s", terminationTimeout))
	defer cancel()
	options := job.onlyThis()
	options.PropagationPolicy = ptr.To(metav1.DeletePropagationForeground)
	jobs := client.BatchV1().Jobs(job.Namespace)
	if err := jobs.Delete(ctx, job.Name, options); err != nil {
		return err
	}
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		got, err := jobs.Get(ctx, job.Name, metav1.GetOptions{})
		if err == nil {
			return got.UID != job.uid, nil
		}
		return apierrors.IsNotFound(err), ignoreGone(err)
	})
	if err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
