// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"embed"
)

// data contains files with devices and with objects that an API server must
// accept or reject.
//
//go:embed data/*.yaml
var data embed.FS
