// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/e2e/report/published"
	reporttable "github.com/draconform/draconform/e2e/report/table"
)

// reportsFolder is the folder of published reports in docs. It does not exist
// before the first one is published.
const reportsFolder = "reports"

// firstReport follows the title of a table without rows.
const firstReport = "\nEach report that is published here gets a row: the driver and its version, and for each profile the result and the features that\n" +
	"the driver was seen to have. [Judging your driver](vendors.md) says how to get a report.\n"

const aboutReports = "\nReports are in the folder docs/reports of the repository. [Publishing a report](publishing.md) says how to add one, and\n" +
	"[how to read a verdict](verdict.md) what the results mean. `draconform report table` compares reports of any folder.\n"

// Reports returns the page with the table of published reports. dir is the
// directory docs of a checkout.
func Reports(dir string) (string, error) {
	folder := filepath.Join(dir, reportsFolder)
	var compared reporttable.Table
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		reports, problems, err := published.Read(folder)
		if err != nil {
			return "", err
		}
		if len(problems) > 0 {
			return "", fmt.Errorf("%s: %s: %d problems, \"draconform report verify\" shows all", problems[0].File, problems[0].Found, len(problems))
		}
		// Links begin with the root of the repository, as those of all pages to files
		// that are no pages. The folder next to docs need not exist.
		if compared, err = reporttable.New(filepath.Join(dir, "..", "site"), reports); err != nil {
			return "", err
		}
	}
	var page strings.Builder
	page.WriteString(generated("docs/reports"))
	if err := compared.Markdown(&page); err != nil {
		return "", err
	}
	if len(compared.Releases) == 0 {
		page.WriteString(firstReport)
	}
	return page.String() + aboutReports, nil
}
