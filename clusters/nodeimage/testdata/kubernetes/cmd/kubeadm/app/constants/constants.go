// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package constants

import "time"

const (
	// DefaultEtcdVersion indicates the default etcd version that kubeadm uses
	DefaultEtcdVersion = "3.7.0-0"

	// MinExternalEtcdVersion indicates minimum external etcd version which kubeadm supports
	MinExternalEtcdVersion = "3.6.5-0"

	// CoreDNSVersion is the version of CoreDNS to be deployed if it is used
	CoreDNSVersion = "v1.14.6"

	APICallRetryInterval = 500 * time.Millisecond
)

var (
	first, second = "a", "b"

	SupportedEtcdVersion = map[uint8]string{
		36: "3.6.8-0",
		37: "3.7.0-0",
	}
)
