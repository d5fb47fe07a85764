// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"embed"
)

// data contains files with devices, with requests for them, and with objects
// that an API server must accept or reject.
//
//go:embed data/*.yaml
var data embed.FS
