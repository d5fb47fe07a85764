// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// GetLast gets a value until it is complete or the time is over, and returns the
// last one. It returns an error only if no value could be got at all: the last
// request is likely to fail at the end of the time, for example in the rate
// limiter of the client.
func GetLast[T any](ctx context.Context, limit time.Duration, get func(context.Context) (T, error), isComplete func(T) bool) (last T, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	wasRead := false
	_ = wait.PollUntilContextCancel(ctx, PollInterval, true, func(ctx context.Context) (bool, error) {
		value, getErr := get(ctx)
		if getErr != nil {
			if !wasRead {
				err = getErr
			}
			return false, nil
		}
		last, err, wasRead = value, nil, true
		return isComplete(value), nil
	})
	return last, err
}
