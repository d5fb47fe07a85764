// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unclear are the reasons of errors after which a request may have succeeded. Unknown is
// that of errors that are not from the API server.
var unclear = []metav1.StatusReason{
	metav1.StatusReasonUnknown, metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout, metav1.StatusReasonInternalError,
}

// MayHaveCreated reports whether an object may exist because of a request to create it,
// given the error of the request: the answer may have been lost. An object that existed
// before does not belong to the spec and must not be deleted.
func MayHaveCreated(err error) bool {
	return err == nil || slices.Contains(unclear, apierrors.ReasonForError(err))
}
