// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/internal/reads"
)

// answerTimeout is how long the API server may take for a small answer.
const answerTimeout = 5 * time.Second

// Reach asks the API server until it answers. An error means that it does not
// before the context ends. away is set if it did not answer at first: what specs
// saw until then says nothing about the driver.
func (g *Guest) Reach(ctx context.Context) (away bool, err error) {
	var last error
	err = wait.PollUntilContextCancel(ctx, poll, true, func(ctx context.Context) (bool, error) {
		if last = g.ask(ctx); last != nil {
			away = true
		}
		return last == nil, nil
	})
	if err != nil {
		return away, fmt.Errorf("the API server does not answer: %w", errors.Join(last, err))
	}
	return away, nil
}

// ask returns an error if the API server does not answer, or states that it does
// not work. That it refuses the request is an answer.
func (g *Guest) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(reads.Once(ctx), answerTimeout)
	defer cancel()
	_, err := g.config.Client.CoreV1().Namespaces().Get(ctx, g.namespace, metav1.GetOptions{})
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonUnknown, metav1.StatusReasonServiceUnavailable, metav1.StatusReasonInternalError, metav1.StatusReasonServerTimeout, metav1.StatusReasonTimeout:
		return err
	default:
		return nil
	}
}
