// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InvalidFields returns the fields of a validation error of the API server.
func InvalidFields(err error) []string {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		return nil
	}
	var all []string
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type != metav1.CauseTypeUnexpectedServerResponse {
			all = append(all, cause.Field)
		}
	}
	return all
}
